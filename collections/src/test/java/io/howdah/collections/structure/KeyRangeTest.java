package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Ranges of keys, beside a predicate for each bound. */
final class KeyRangeTest {

  private static final byte[] LETTERS = {0, 1, 127, -128, -1};

  /** All keys of up to two of these bytes. */
  private static List<byte[]> keys() {
    List<byte[]> keys = new ArrayList<>();
    keys.add(new byte[0]);
    for (byte first : LETTERS) {
      keys.add(new byte[] {first});
      for (byte second : LETTERS) {
        keys.add(new byte[] {first, second});
      }
    }
    return keys;
  }

  private static boolean beginsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  @Test
  void aRangeHasTheKeysBetweenItsNarrowestBounds() {
    SplittableRandom random = new SplittableRandom(4);
    List<byte[]> keys = keys();
    for (int i = 0; i < 3000; i++) {
      KeyRange range = KeyRange.ALL;
      Predicate<byte[]> isIn = _ -> true;
      Predicate<byte[]> isBetween = _ -> true;
      for (int bound = random.nextInt(5); bound > 0; bound--) {
        byte[] at = keys.get(random.nextInt(keys.size()));
        boolean isInclusive = random.nextBoolean();
        boolean isFrom = random.nextBoolean();
        range = isFrom ? range.from(at, isInclusive) : range.to(at, isInclusive);
        int sign = isFrom ? 1 : -1;
        Predicate<byte[]> within = key -> sign * Arrays.compareUnsigned(key, at) >= 0;
        isBetween = isBetween.and(within);
        isIn = isIn.and(within).and(key -> isInclusive || !Arrays.equals(key, at));
      }
      for (byte[] key : keys) {
        assertThat(range.contains(key)).isEqualTo(isIn.test(key));
        assertThat(range.isBetweenBounds(key)).isEqualTo(isBetween.test(key));
      }
      byte[] from = range.from();
      byte[] to = range.to();
      assertThat(range.isAll()).isEqualTo(from == null && to == null);
      int order = from == null || to == null ? -1 : Arrays.compareUnsigned(from, to);
      assertThat(range.isReversed()).isEqualTo(order > 0);
      assertThat(range.isEmpty())
          .isEqualTo(order > 0 || (order == 0 && from != null && !isIn.test(from)));
    }
  }

  @Test
  void aPrefixIsTheRangeOfTheKeysThatBeginSo() {
    for (byte[] prefix : keys()) {
      KeyRange range = KeyRange.withPrefix(prefix);
      for (byte[] key : keys()) {
        assertThat(range.contains(key)).isEqualTo(beginsWith(key, prefix));
      }
    }
    assertThat(KeyRange.withPrefix(new byte[0])).isSameAs(KeyRange.ALL);
    assertThat(KeyRange.withPrefix(new byte[] {-1, -1}).to()).isNull();
    assertThat(KeyRange.withPrefix(new byte[] {1, -1}).to()).containsExactly(2);
  }

  @Test
  void aRangeEndsBeforeItsEnd() {
    KeyRange range = KeyRange.of(new byte[] {1}, new byte[] {3});
    assertThat(range.contains(new byte[] {1})).isTrue();
    assertThat(range.contains(new byte[] {2, -1})).isTrue();
    assertThat(range.contains(new byte[] {3})).isFalse();
    assertThat(range.contains(new byte[0])).isFalse();
    assertThat(range.fromInclusive()).isTrue();
    assertThat(range.toInclusive()).isFalse();
    assertThat(KeyRange.ALL.fromInclusive()).isTrue();
    assertThat(KeyRange.ALL.toInclusive()).isTrue();
  }
}

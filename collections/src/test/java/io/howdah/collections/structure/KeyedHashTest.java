package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash of tables is a part of the format: its values never change. */
final class KeyedHashTest {

  private static final long KEY0 = 0x0706050403020100L;
  private static final long KEY1 = 0x0F0E0D0C0B0A0908L;

  /** Key 00 01 .. 0f and input 00 01 ..; the values are those of another program. */
  @ParameterizedTest
  @CsvSource({
    "0, e888e8c888e8c8e8",
    "1, ab439849440cc3aa",
    "7, 404e56590e1ecbc5",
    "8, 5ea288245e36089d",
    "9, bb30794708efe442",
    "15, b1a054d242533807",
    "16, df7a10032ead5301",
    "63, 737822c2d9521487"
  })
  void itsValuesStay(int length, String expected) {
    byte[] bytes = new byte[80];
    for (int offset = 0; offset <= 8; offset += 8) {
      Arrays.fill(bytes, (byte) 0x55); // what lies behind the input does not count
      for (int i = 0; i < length; i++) {
        bytes[offset + i] = (byte) i;
      }
      long hash = KeyedHash.hash(KEY0, KEY1, bytes, offset, length);
      assertThat(HexFormat.of().toHexDigits(hash)).isEqualTo(expected);
    }
  }

  private static long hash(long key0, long key1, long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (long word : words) {
      bytes.putLong(word);
    }
    return KeyedHash.hash(key0, key1, bytes.array(), 0, bytes.capacity());
  }

  /** Under another secret a change of one or two bits of a word never does the same again. */
  @Test
  void whatAChangeDoesDependsOnTheSecret() {
    SplittableRandom random = new SplittableRandom(1);
    for (int bit = 0; bit < Long.SIZE; bit++) {
      for (int other : new int[] {bit, 31, 63}) {
        long change = 1L << bit | 1L << other;
        Set<Long> effects = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
          long key0 = random.nextLong();
          long key1 = random.nextLong();
          effects.add(hash(key0, key1, change, 0) ^ hash(key0, key1, 0, 0));
        }
        assertThat(effects).as("effects of %x", change).hasSize(1000).doesNotContain(0L);
      }
    }
  }

  /** Keys that differ by zero bytes at their ends collide, with any secret, but only a few do. */
  @Test
  void atMostEightKeysOfDifferentLengthsShareAHash() {
    SplittableRandom random = new SplittableRandom(3);
    for (int secret = 0; secret < 200; secret++) {
      long key0 = random.nextLong();
      long key1 = random.nextLong();
      Map<Long, Integer> keys = new HashMap<>();
      for (int length = 1; length <= Long.BYTES; length++) {
        for (int first = 0; first < 1 << Byte.SIZE; first++) {
          byte[] key = new byte[Long.BYTES];
          key[0] = (byte) first;
          keys.merge(KeyedHash.hash(key0, key1, key, 0, length), 1, Integer::sum);
        }
      }
      assertThat(Collections.max(keys.values())).as("keys of one hash").isBetween(2, Long.BYTES);
    }
  }

  /** Buckets, tags and stripes of numbers in a row, and of such with many zeros behind. */
  @Test
  void keysInARowSpread() {
    SplittableRandom random = new SplittableRandom(2);
    for (int shift = 0; shift <= 48; shift += 8) {
      long key0 = random.nextLong();
      long key1 = random.nextLong();
      int[] low = new int[1 << 10];
      int[] high = new int[64];
      int[] tags = new int[1 << 10];
      for (long i = 0; i < 1 << 16; i++) {
        long hash = hash(key0, key1, i << shift);
        low[(int) hash & 1023]++;
        high[(int) (hash >>> 58)]++;
        tags[(int) (hash >>> 8) & 1023]++;
      }
      assertThat(Arrays.stream(low).max().orElseThrow()).as("shift %s", shift).isLessThan(64 * 2);
      assertThat(Arrays.stream(tags).max().orElseThrow()).as("shift %s", shift).isLessThan(64 * 2);
      assertThat(Arrays.stream(high).max().orElseThrow())
          .as("shift %s", shift)
          .isLessThan(1024 * 5 / 4);
    }
  }
}

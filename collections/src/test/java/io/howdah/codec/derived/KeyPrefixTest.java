package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.OrderedCodec.Prefix;
import io.howdah.codec.Pair;
import io.howdah.codec.bytes.EncodingBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The bytes of a prefix are the beginning of the keys that have its parts, and of no others. */
final class KeyPrefixTest {

  record Place(String town, String street) {}

  record Key(String name, int number, Place place) {}

  private static final OrderedCodec<Key> KEYS = Codecs.ordered(Key.class);

  private static byte[] prefix(OrderedCodec<?> codec, @Nullable Object... parts) {
    EncodingBuffer out = new EncodingBuffer();
    codec.encodePrefix(out, parts);
    return Arrays.copyOf(out.array(), out.length());
  }

  private static boolean begins(byte[] bytes, byte[] beginning) {
    return bytes.length >= beginning.length
        && Arrays.equals(bytes, 0, beginning.length, beginning, 0, beginning.length);
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append("\0\u0001ab".charAt(random.nextInt(4)));
    }
    return text.toString();
  }

  private static Key key(SplittableRandom random) {
    return new Key(text(random), random.nextInt(-1, 2), new Place(text(random), text(random)));
  }

  @Test
  void aPrefixOfARecordIsTheBeginningOfTheKeysWithItsParts() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 3000; i++) {
      Key key = key(random);
      byte[] bytes = CodecBytes.encode(KEYS, key);
      Key other = random.nextInt(3) == 0 ? key : key(random);
      String name = other.name();
      int number = other.number();
      String town = other.place().town();
      boolean hasName = key.name().equals(name);
      boolean hasNumber = hasName && key.number() == number;
      assertThat(begins(bytes, prefix(KEYS, name))).isEqualTo(hasName);
      assertThat(begins(bytes, prefix(KEYS, name, number))).isEqualTo(hasNumber);
      assertThat(begins(bytes, prefix(KEYS, name, number, other.place())))
          .isEqualTo(key.equals(other));
      assertThat(begins(bytes, prefix(KEYS, Prefix.of(name))))
          .isEqualTo(key.name().startsWith(name));
      assertThat(begins(bytes, prefix(KEYS, name, number, Prefix.of(town))))
          .isEqualTo(hasNumber && key.place().town().equals(town));
      assertThat(begins(bytes, prefix(KEYS, name, number, Prefix.of(Prefix.of(town)))))
          .isEqualTo(hasNumber && key.place().town().startsWith(town));
    }
  }

  @Test
  void aPrefixOfAPairIsTheBeginningOfThePairsWithItsParts() {
    OrderedCodec<Pair<byte[], String>> pairs = Codecs.pair(Codec.bytes(), Codec.utf8());
    byte[] first = {0, 1, -1};
    byte[] bytes = CodecBytes.encode(pairs, new Pair<>(first, "anna"));
    assertThat(begins(bytes, prefix(pairs, (Object) first))).isTrue();
    assertThat(begins(bytes, prefix(pairs, (Object) new byte[] {0, 1}))).isFalse();
    assertThat(begins(bytes, prefix(pairs, Prefix.of((Object) new byte[] {0, 1})))).isTrue();
    assertThat(begins(bytes, prefix(pairs, Prefix.of((Object) new byte[] {0, 2})))).isFalse();
    assertThat(begins(bytes, prefix(pairs, first, Prefix.of("an")))).isTrue();
    assertThat(begins(bytes, prefix(pairs, first, "an"))).isFalse();
  }

  @Test
  void aPrefixOfBytesIsTheirBeginning() {
    assertThat(prefix(Codec.bytes(), (Object) new byte[] {7, 0})).containsExactly(7, 0);
    assertThat(prefix(Codec.bytes(), (Object) new byte[0])).isEmpty();
    assertThat(prefix(Codec.utf8(), "é")).containsExactly(0xC3, 0xA9);
  }

  record Absent(@Nullable String name, int number) {}

  @Test
  void anAbsentPartIsSearchedForAndHasNoBeginning() {
    OrderedCodec<Absent> keys = Codecs.ordered(Absent.class);
    byte[] absent = CodecBytes.encode(keys, new Absent(null, 3));
    byte[] empty = CodecBytes.encode(keys, new Absent("", 3));
    byte[] anna = CodecBytes.encode(keys, new Absent("anna", 3));
    assertThat(begins(absent, prefix(keys, (Object) null))).isTrue();
    assertThat(begins(empty, prefix(keys, (Object) null))).isFalse();
    assertThat(begins(absent, prefix(keys, null, 3))).isTrue();
    assertThat(begins(absent, prefix(keys, null, 4))).isFalse();
    assertThat(begins(anna, prefix(keys, Prefix.of("an")))).isTrue();
    assertThat(begins(anna, prefix(keys, Prefix.of("b")))).isFalse();
    assertThat(begins(empty, prefix(keys, Prefix.of("")))).isTrue();
    assertThat(begins(absent, prefix(keys, Prefix.of("")))).isFalse();
    assertThat(begins(absent, prefix(keys, Prefix.of((Object) null)))).isTrue();
    assertThatThrownBy(() -> prefix(KEYS, (Object) null))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Key.name is null");
    assertThatThrownBy(() -> prefix(KEYS, "a", (Object) null))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Key.number is null");
    assertThatThrownBy(() -> prefix(Codec.utf8(), (Object) null))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("not with [null]");
  }

  @Test
  void aPrefixOfOtherPartsIsRefused() {
    List<Object> five = new ArrayList<>(List.of("a", 1, new Place("", ""), 4, 5));
    for (int count : new int[] {0, 4, 5}) {
      assertThatThrownBy(() -> prefix(KEYS, five.subList(0, count).toArray()))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("1 to 3 parts, not with " + count);
    }
    assertThat(prefix(KEYS, five.subList(0, 3).toArray()))
        .isEqualTo(CodecBytes.encode(KEYS, new Key("a", 1, new Place("", ""))));
    assertThatThrownBy(() -> prefix(KEYS, 1))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Key.name has another type than java.lang.Integer");
    assertThatThrownBy(() -> prefix(KEYS, Prefix.of("a"), 1))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Key.name is a beginning, and other parts follow");
    assertThatThrownBy(() -> prefix(KEYS, "a", Prefix.of(1)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("int32 has no parts to search by");
  }

  @Test
  void aPrefixOfAStringOrOfBytesIsOneOfThem() {
    assertThatThrownBy(() -> prefix(Codec.utf8(), "a", "b"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("one string");
    assertThatThrownBy(() -> prefix(Codec.utf8(), 1)).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> prefix(Codec.utf8())).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> prefix(Codec.bytes(), new byte[1], new byte[1]))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("one array of bytes");
    assertThatThrownBy(() -> prefix(Codec.bytes(), "a")).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> prefix(Codec.bytes())).isInstanceOf(CodecException.class);
  }
}

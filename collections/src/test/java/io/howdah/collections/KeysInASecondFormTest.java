package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.Codecs;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A key whose bytes are not those that its codec writes, as damage or another program's codec
 * leaves it, is refused where it would be shown: it would not be found by what is shown.
 */
final class KeysInASecondFormTest {

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withExecution(new NoReclaiming()));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  /** A codec that has the name of another one, and writes any bytes. */
  private record Forged(String name, int fixedLength) implements OrderedCodec<byte[]> {
    @Override
    public void encode(byte[] value, Encoder out) {
      out.putBytes(value);
    }

    @Override
    public byte[] decode(Decoder in) {
      return in.getBytes(in.remaining());
    }
  }

  record Form<T>(OrderedCodec<T> codec, T value, String hex) {
    byte[] bytes() {
      return HexFormat.of().parseHex(hex);
    }

    @Override
    public String toString() {
      return codec.name() + " " + hex;
    }
  }

  static Stream<Form<?>> forms() {
    return Stream.of(
        new Form<>(Codec.bool(), true, "02"),
        new Form<>(Codec.float64(), Double.NaN, "fff8000000000001"),
        new Form<>(Codec.float32(), Float.NaN, "ffc00001"),
        new Form<>(Codec.utf8(), "\uFFFD", "ff"),
        new Form<>(Codec.utf8(), "a\uFFFD", "61c0"),
        new Form<>(Codec.utf8(), "\0", "c080"),
        new Form<>(Codecs.bigInteger(), BigInteger.ONE, "810100"),
        new Form<>(Codecs.bigInteger(), BigInteger.ONE, "820001"),
        new Form<>(Codecs.decimal(), BigDecimal.ONE, "c081010b008000"),
        new Form<>(Codecs.decimal(), BigDecimal.ONE, "c08200010b0080"),
        new Form<>(Codecs.decimal(), BigDecimal.ONE, "c081010b010080"),
        new Form<>(Codecs.optional(Codec.utf8()), Optional.empty(), "0000"),
        new Form<>(
            Codecs.zonedDateTime(),
            Instant.EPOCH.atZone(ZoneOffset.ofHours(1)),
            "8000000000000000" + "00000000" + "80000e10" + "2b31"));
  }

  @ParameterizedTest
  @MethodSource("forms")
  <T> void aKeyInASecondFormIsRefusedWhereItWouldBeShown(Form<T> form) {
    Forged forged = new Forged(form.codec().name(), form.codec().fixedLength());
    PersistentMap<byte[], Long> hashedBytes = store.map("hashed", forged, Codec.int64());
    PersistentSortedMap<byte[], Long> sortedBytes =
        store.sortedMap("sorted", forged, Codec.int64());
    PersistentMap<T, Long> hashed = store.map("hashed", form.codec(), Codec.int64());
    PersistentSortedMap<T, Long> sorted = store.sortedMap("sorted", form.codec(), Codec.int64());
    byte[] own = Codecs.encode(form.codec(), form.value());
    assertThat(own).as("the own form").isNotEqualTo(form.bytes());
    store.run(
        tx -> {
          hashedBytes.put(tx, own, 1L);
          sortedBytes.put(tx, own, 1L);
        });
    assertThat(hashed.asMap().keySet()).containsExactly(form.value());
    assertThat(sorted.asMap().keySet()).containsExactly(form.value());
    store.run(
        tx -> {
          hashedBytes.put(tx, form.bytes(), 2L);
          sortedBytes.put(tx, form.bytes(), 2L);
        });
    for (Map<T, Long> each : List.of(hashed.asMap(), sorted.asMap())) {
      assertThatThrownBy(() -> new ArrayList<>(each.keySet()))
          .as("%s", each.getClass())
          .isInstanceOf(CodecException.class);
      assertThat(each).hasSize(2);
      each.clear();
      assertThat(each).isEmpty();
    }
  }
}

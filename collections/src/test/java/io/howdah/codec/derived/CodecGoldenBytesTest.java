package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The bytes of each codec, which stores hold: they must not change. */
final class CodecGoldenBytesTest {

  enum Size {
    SMALL,
    LARGE
  }

  record Line(String article, int pieces) {}

  record Order(long id, @Nullable String note, Size size, List<Line> lines) {}

  record Key(String customer, int number) {}

  /** Shapes of a store that is empty. */
  private static final class NewShapes implements Shapes {
    @Override
    public boolean isForKeys() {
      return false;
    }

    @Override
    public Entry open(
        String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
      String text = update.apply(null);
      assertThat(text).isNotNull();
      return new Entry(name, text == null ? "" : text);
    }

    @Override
    public @Nullable String text(String name) {
      return null;
    }
  }

  /** They have one name, so a store takes one for the other. */
  @Test
  void arraysOfPrimitivesHaveTheBytesOfArraysOfTheirBoxes() {
    assertSame(new long[] {1, -1}, new Long[] {1L, -1L});
    assertSame(new int[] {1, -1}, new Integer[] {1, -1});
    assertSame(new double[] {0.5, -0.5}, new Double[] {0.5, -0.5});
    assertSame(new short[] {1, -1}, new Short[] {1, -1});
    assertSame(new float[] {0.5f, -0.5f}, new Float[] {0.5f, -0.5f});
    assertSame(new char[] {'a'}, new Character[] {'a'});
    assertSame(new boolean[] {true}, new Boolean[] {true});
  }

  @SuppressWarnings("unchecked") // each codec is that of its value's class
  private static void assertSame(Object primitives, Object boxes) {
    Codec<Object> first = (Codec<Object>) Codecs.of(primitives.getClass());
    Codec<Object> second = (Codec<Object>) Codecs.of(boxes.getClass());
    assertThat(first.name()).isEqualTo(second.name());
    assertThat(CodecBytes.hex(first, primitives)).isEqualTo(CodecBytes.hex(second, boxes));
  }

  @Test
  void parts() {
    assertThat(CodecBytes.hex(Codecs.instant(), Instant.ofEpochSecond(1, 2)))
        .isEqualTo("800000000000000100000002");
    assertThat(CodecBytes.hex(Codecs.localDate(), LocalDate.of(2026, 11, 23)))
        .isEqualTo("800007ea0b17");
    assertThat(
            CodecBytes.hex(
                Codecs.offsetDateTime(), OffsetDateTime.parse("1970-01-01T01:00:00+01:00")))
        .isEqualTo("80000000000000000000000080000e10");
    assertThat(CodecBytes.hex(Codecs.uuid(), new UUID(1, 2)))
        .isEqualTo("00000000000000010000000000000002");
    assertThat(CodecBytes.hex(Codecs.bigInteger(), BigInteger.valueOf(258))).isEqualTo("820102");
    assertThat(CodecBytes.hex(Codecs.bigInteger(), BigInteger.valueOf(-258))).isEqualTo("7dfefd");
    assertThat(CodecBytes.hex(Codecs.bigInteger(), BigInteger.ZERO)).isEqualTo("80");
    assertThat(CodecBytes.hex(Codecs.decimal(), new BigDecimal("12.50")))
        .isEqualTo("c0" + "8102" + "0d33" + "00" + "8102");
    assertThat(CodecBytes.hex(Codecs.decimal(), new BigDecimal("-12.5")))
        .isEqualTo("40" + "7efd" + "f2cc" + "ff" + "8101");
    assertThat(CodecBytes.hex(Codecs.decimal(), new BigDecimal("0.0"))).isEqualTo("808101");
    assertThat(CodecBytes.hex(Codecs.optional(Codec.utf8()), Optional.empty())).isEqualTo("00");
    Codec<String> unordered = Codec.utf8();
    assertThat(CodecBytes.hex(Codecs.optional(unordered), Optional.of("a"))).isEqualTo("010161");
    assertThat(Codecs.optional(unordered).name()).isEqualTo("optional utf8");
    assertThat(CodecBytes.hex(Codecs.optional(Codec.utf8()), Optional.of("a")))
        .isEqualTo("01610001");
    assertThat(Codecs.optional(Codec.utf8()).name()).isEqualTo("ordered optional utf8");
    assertThat(CodecBytes.hex(Codecs.list(Codec.utf8()), List.of("a", "")))
        .isEqualTo("02" + "0161" + "00");
    assertThat(CodecBytes.hex(Codecs.map(Codec.int8(), Codec.bool()), Map.of((byte) 1, true)))
        .isEqualTo("018101");
    assertThat(CodecBytes.hex(Codecs.of(int[].class), new int[] {1})).isEqualTo("0180000001");
    assertThat(CodecBytes.hex(Codecs.compressed(Codec.utf8()), "a")).isEqualTo("0061");
  }

  @Test
  void keys() {
    OrderedCodec<Key> keys = Codecs.ordered(Key.class);
    assertThat(CodecBytes.hex(keys, new Key("a\0", 1))).isEqualTo("6100ff0001" + "80000001");
    assertThat(CodecBytes.hex(Codecs.descending(keys), new Key("a", 1)))
        .as("escaped as a whole, then complemented")
        .isEqualTo("9e" + "ff00" + "fe" + "7f" + "ff00ff00" + "fe" + "fffe");
    assertThat(CodecBytes.hex(Codecs.descending(Codec.int32()), 1)).isEqualTo("7ffffffe");
    assertThat(CodecBytes.hex(Codecs.ordered(Size.class), Size.LARGE)).isEqualTo("0001");
    assertThat(keys.name())
        .isEqualTo("ordered record io.howdah.codec.derived.CodecGoldenBytesTest$Key(utf8, int32)");
  }

  @Test
  void recordsInAStore() {
    Codec<Order> codec = Codecs.of(Order.class).bind(new NewShapes());
    Order order = new Order(1, null, Size.LARGE, Arrays.asList(new Line("a", 2)));
    assertThat(codec.name()).isEqualTo("record " + Order.class.getName());
    assertThat(CodecBytes.hex(codec, order))
        .isEqualTo(
            "01" // the first shape
                + "8000000000000001"
                + "0100" // a length of 1, absent
                + "0001" // the constant of number 1
                + "08" // the length of the list
                + "01" // one element
                + "01" // its first shape
                + "0161" // a length of 1, "a"
                + "80000002");
    assertThat(CodecBytes.roundTrip(codec, order)).isEqualTo(order);
    ShapeText.Shape shape =
        new ShapeText.Shape(
            3,
            List.of(
                new ShapeText.Component("id", 8, "int64"),
                new ShapeText.Component("note", -1, "nullable utf8")));
    String text = "record\n3\nid\t8\tint64\nnote\t-1\tnullable utf8";
    assertThat(ShapeText.ofRecord(List.of(shape))).isEqualTo(text);
    assertThat(ShapeText.shapes("r", text)).containsExactly(shape);
    assertThat(ShapeText.ofNames(ShapeText.ENUM, List.of("SMALL", "LARGE")))
        .isEqualTo("enum\nSMALL\nLARGE");
  }
}

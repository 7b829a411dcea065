package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.DecodingBuffer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Numbers that were stored with a codec are read for another one without a loss, or refused. */
final class WideningTest {

  /** The limits of each codec of numbers; a codec reads those of the codecs before it. */
  private static final Map<OrderedCodec<?>, List<? extends Number>> WHOLE = whole();

  private static Map<OrderedCodec<?>, List<? extends Number>> whole() {
    Map<OrderedCodec<?>, List<? extends Number>> codecs = new LinkedHashMap<>();
    codecs.put(Codec.int8(), List.of(Byte.MIN_VALUE, (byte) -1, Byte.MAX_VALUE));
    codecs.put(Codec.int16(), List.of(Short.MIN_VALUE, (short) 300, Short.MAX_VALUE));
    codecs.put(Codec.int32(), List.of(Integer.MIN_VALUE, 70_000, Integer.MAX_VALUE));
    codecs.put(Codec.int64(), List.of(Long.MIN_VALUE, 1L << 40, Long.MAX_VALUE));
    return codecs;
  }

  private static Number as(Codec<?> codec, Number value) {
    return switch (codec.name()) {
      case "int8" -> value.byteValue();
      case "int16" -> value.shortValue();
      case "int32" -> value.intValue();
      case "int64" -> value.longValue();
      case "float64" -> value.doubleValue();
      case "integer" -> BigInteger.valueOf(value.longValue());
      default -> BigDecimal.valueOf(value.longValue());
    };
  }

  @SuppressWarnings("unchecked") // the value is one of the codec's
  private static @Nullable Object read(Codec<?> stored, Object value, Codec<?> codec) {
    Function<Decoder, @Nullable Object> reader = RecordReader.Widening.reader(stored.name(), codec);
    assertThat(reader).as("%s for %s", stored.name(), codec.name()).isNotNull();
    byte[] bytes = CodecBytes.encode((Codec<Object>) stored, value);
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(bytes, 0, bytes.length);
    Object read = reader.apply(in);
    assertThat(in.remaining()).isZero();
    return read;
  }

  private static void assertRefused(Codec<?> stored, Codec<?> codec) {
    assertThat(RecordReader.Widening.reader(stored.name(), codec))
        .as("%s for %s", stored.name(), codec.name())
        .isNull();
  }

  @Test
  void wholeNumbersAreReadByLongerCodecsAndRefusedByShorterOnes() {
    List<OrderedCodec<?>> codecs = List.copyOf(WHOLE.keySet());
    for (int from = 0; from < codecs.size(); from++) {
      for (int to = 0; to < codecs.size(); to++) {
        if (to < from) {
          assertRefused(codecs.get(from), codecs.get(to));
        } else if (to > from) {
          for (Number value : WHOLE.getOrDefault(codecs.get(from), List.of())) {
            assertThat(read(codecs.get(from), value, codecs.get(to)))
                .isEqualTo(as(codecs.get(to), value));
          }
        }
      }
    }
  }

  @Test
  void everyWholeNumberIsReadAsAnIntegerOrADecimal() {
    WHOLE.forEach(
        (stored, values) -> {
          for (Number value : values) {
            assertThat(read(stored, value, Codecs.bigInteger()))
                .isEqualTo(as(Codecs.bigInteger(), value));
            assertThat(read(stored, value, Codecs.decimal()))
                .isEqualTo(as(Codecs.decimal(), value));
          }
        });
  }

  @Test
  void aDoubleReadsWhatItCanHoldExactly() {
    for (OrderedCodec<?> stored : List.of(Codec.int8(), Codec.int16(), Codec.int32())) {
      for (Number value : WHOLE.getOrDefault(stored, List.of())) {
        assertThat(read(stored, value, Codec.float64())).isEqualTo(value.doubleValue());
      }
    }
    assertThat(read(Codec.float32(), 0.1f, Codec.float64())).isEqualTo((double) 0.1f);
    assertRefused(Codec.int64(), Codec.float64());
  }

  @Test
  void whatWouldLoseSomethingIsRefused() {
    for (OrderedCodec<?> stored : WHOLE.keySet()) {
      assertRefused(stored, Codec.float32());
      assertRefused(stored, Codec.utf8());
      assertRefused(Codec.float32(), stored);
      assertRefused(Codec.float64(), stored);
      assertRefused(Codec.utf8(), stored);
    }
    assertRefused(Codec.float32(), Codecs.bigInteger());
    assertRefused(Codec.float32(), Codecs.decimal());
    assertRefused(Codec.float64(), Codec.float32());
    assertRefused(Codecs.bigInteger(), Codecs.decimal());
  }

  @Test
  void whatWasAlwaysThereMayBeAbsent() {
    Codec<Optional<Long>> optional = Codecs.optional((Codec<Long>) Codec.int64());
    Codec<@Nullable Long> nullable = Codecs.nullable((Codec<Long>) Codec.int64());
    assertThat(read(Codec.int64(), 7L, optional)).isEqualTo(Optional.of(7L));
    assertThat(read(Codec.int64(), 7L, nullable)).isEqualTo(7L);
    assertThat(read(Codec.int32(), -7, optional)).isEqualTo(Optional.of(-7L));
    assertThat(read(Codec.int32(), -7, nullable)).isEqualTo(-7L);
    assertThat(read(nullable, 8L, optional)).isEqualTo(Optional.of(8L));
    assertThat(read(optional, Optional.empty(), nullable)).isNull();
    assertThat(read(optional, Optional.of(9L), nullable)).isEqualTo(9L);
    assertRefused(Codec.utf8(), optional);
    assertRefused(Codec.utf8(), nullable);
    assertRefused(Codecs.nullable((Codec<String>) Codec.utf8()), nullable);
  }
}

package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Pair;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes of every codec with one byte of another value, and bytes that end early. A decoder may
 * return another value. If it refuses, it does so by the one type of error.
 */
class AlteredBytesTest {

  private static final Instant NOW = Instant.parse("2025-10-26T00:30:15.123456789Z");
  private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

  record Encoded<T>(Codec<T> codec, T value) {

    byte[] bytes() {
      return CodecBytes.encode(codec, value);
    }

    @Override
    public String toString() {
      return codec.name() + " " + value;
    }
  }

  private enum Shade {
    DARK {
      @Override
      int level() {
        return 1;
      }
    },
    LIGHT {
      @Override
      int level() {
        return 2;
      }
    };

    @SuppressWarnings("UnusedMethod") // gives the constants bodies, and so classes of their own
    abstract int level();
  }

  private record Place(int floor, String room, LocalDate since) {}

  private enum Colour {
    RED,
    GREEN
  }

  private sealed interface Shape permits Circle, Square {}

  private record Circle(int radius) implements Shape {}

  private record Square(String side) implements Shape {}

  static Stream<Encoded<?>> all() {
    return Stream.of(
            Stream.of(
                new Encoded<>(Codec.bool(), true),
                new Encoded<>(Codec.float64(), -0.5),
                new Encoded<>(Codec.utf8(), "tea\0pot \u00fc\u20ac\ud83d\ude00")),
            Stream.of("0", "1", "-1", "255", "-256", "123456789012345678901234567890")
                .map(text -> new Encoded<>(Codecs.bigInteger(), new BigInteger(text))),
            Stream.of(new Encoded<>(Codecs.bigInteger(), BigInteger.ONE.shiftLeft(1016).negate())),
            Stream.of(
                    "0", "0.00", "1", "-1", "99", "-9.9", "1E+20", "-1E-40", "12345.678900", "0E+9")
                .map(text -> new Encoded<>(Codecs.decimal(), new BigDecimal(text))),
            Stream.of(
                new Encoded<>(Codecs.uuid(), new UUID(1, -2)),
                new Encoded<>(Codecs.instant(), NOW),
                new Encoded<>(Codecs.instant(), Instant.MIN),
                new Encoded<>(Codecs.duration(), Duration.ofNanos(-1)),
                new Encoded<>(Codecs.duration(), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)),
                new Encoded<>(Codecs.localDate(), LocalDate.MAX),
                new Encoded<>(Codecs.localDate(), LocalDate.of(2024, 2, 29)),
                new Encoded<>(Codecs.localTime(), LocalTime.MAX),
                new Encoded<>(Codecs.localDateTime(), LocalDateTime.MIN),
                new Encoded<>(Codecs.offsetDateTime(), OffsetDateTime.MAX),
                new Encoded<>(Codecs.offsetDateTime(), NOW.atOffset(ZoneOffset.ofHours(-3))),
                new Encoded<>(Codecs.zonedDateTime(), NOW.atZone(ZONE)),
                new Encoded<>(
                    Codecs.zonedDateTime(), ZonedDateTime.of(LocalDateTime.MAX, ZoneOffset.MAX))),
            Stream.of(
                new Encoded<>(Codecs.list(Codec.utf8()), List.of("", "a", "bc")),
                new Encoded<>(Codecs.set(Codecs.decimal()), Set.of(new BigDecimal("7.5"))),
                new Encoded<>(
                    Codecs.map(Codec.utf8(), Codec.int32()),
                    Map.of("a", 1, "b", Integer.MIN_VALUE)),
                new Encoded<>(Codecs.optional((Codec<Long>) Codec.int64()), Optional.of(5L)),
                new Encoded<>(Codecs.optional(Codec.utf8()), Optional.of("a\0b")),
                new Encoded<>(Codecs.pair(Codec.utf8(), Codecs.decimal()), pair()),
                new Encoded<>(
                    Codecs.descending(Codecs.pair(Codec.utf8(), Codecs.decimal())), pair()),
                new Encoded<>(Codecs.compressed(Codec.utf8()), "abcdefgh".repeat(40)),
                new Encoded<>(Codecs.compressed(Codecs.decimal()), BigDecimal.TEN)),
            Stream.of(
                new Encoded<>(Codecs.of(Colour.class), Colour.GREEN),
                new Encoded<>(Codecs.of(Shade.class), Shade.LIGHT),
                new Encoded<>(Codecs.ordered(Shade.class), Shade.LIGHT),
                new Encoded<>(Codecs.ordered(Colour.class), Colour.RED),
                new Encoded<>(
                    Codecs.ordered(Place.class), new Place(-3, "a\0b", LocalDate.of(2024, 2, 29))),
                new Encoded<>(Codec.int32(), -7),
                new Encoded<>(Codec.int64(), Long.MIN_VALUE),
                new Encoded<>(Codecs.descending(Codecs.instant()), NOW),
                new Encoded<>(Codecs.descending(Codecs.bigInteger()), BigInteger.TEN.negate()),
                new Encoded<>(Codecs.descending(Codec.utf8()), "b\0\u20ac"),
                new Encoded<>(Codecs.optional(Codecs.decimal()), Optional.of(BigDecimal.TEN)),
                new Encoded<>(Codecs.of(Shape.class), new Circle(5)),
                new Encoded<>(Codecs.of(Shape.class), new Square("m"))))
        .flatMap(each -> each);
  }

  private static Pair<String, BigDecimal> pair() {
    return new Pair<>("a\0", new BigDecimal("-0.5"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void oneOtherByteIsAValueOrATypedError(Encoded<?> encoded) {
    byte[] bytes = encoded.bytes();
    for (int i = 0; i < bytes.length; i++) {
      for (int value = 0; value < 1 << Byte.SIZE; value++) {
        byte[] altered = bytes.clone();
        altered[i] = (byte) value;
        decode(encoded.codec(), altered);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void bytesThatEndEarlyAreAValueOrATypedError(Encoded<?> encoded) {
    byte[] bytes = encoded.bytes();
    for (int length = 0; length < bytes.length; length++) {
      decode(encoded.codec(), Arrays.copyOf(bytes, length));
    }
  }

  private static void decode(Codec<?> codec, byte[] bytes) {
    try {
      Objects.requireNonNull(CodecBytes.decode(codec, bytes));
    } catch (CodecException _) {
      // the one type of error
    } catch (RuntimeException e) {
      throw new AssertionError(codec.name() + " of " + HexFormat.of().formatHex(bytes), e);
    }
  }
}

package io.howdah.codec.derived;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every ordered codec gives back what it was given, and its bytes have the values' order, also
 * before other bytes in a pair. Values are random, with many at the limits and many that are close
 * to one another.
 */
final class OrderedCodecTest {

  private static final List<Currency> CURRENCIES =
      Currency.getAvailableCurrencies().stream()
          .sorted(Comparator.comparing(Currency::getCurrencyCode))
          .toList();

  private static final List<Locale> LOCALES =
      List.of(
          Locale.ROOT,
          Locale.GERMANY,
          Locale.ENGLISH,
          Locale.US,
          Locale.SIMPLIFIED_CHINESE,
          Locale.forLanguageTag("sr-Latn-RS"),
          Locale.forLanguageTag("th-TH-u-nu-thai"),
          Locale.forLanguageTag("de-x-abc"));

  private static final int VALUES = 4_000;

  enum Size {
    SMALL,
    MEDIUM,
    LARGE
  }

  record Key(String customer, LocalDate day, int number) {}

  /**
   * A codec with its order and random values.
   *
   * @param order with which the bytes agree
   */
  record Subject<T>(
      String name,
      OrderedCodec<T> codec,
      Comparator<T> order,
      Function<SplittableRandom, T> random) {

    @Override
    public String toString() {
      return name;
    }

    void check(int count) {
      SplittableRandom random = new SplittableRandom(name.hashCode());
      OrderedCodec<Pair<T, Integer>> pairs = Codecs.pair(codec, Codec.int32());
      OrderedCodec<T> descending = Codecs.descending(codec);
      T last = this.random.apply(random);
      for (int i = 0; i < count; i++) {
        T value = this.random.apply(random);
        byte[] bytes = CodecBytes.encode(codec, value);
        assertThat(CodecBytes.decode(codec, bytes)).isEqualTo(value);
        if (codec.fixedLength() >= 0) {
          assertThat(bytes).hasSize(codec.fixedLength());
        }
        int expected = Integer.signum(order.compare(last, value));
        assertThat(CodecBytes.compare(codec, last, value))
            .as("%s and %s", last, value)
            .isEqualTo(expected);
        assertThat(CodecBytes.compare(descending, last, value)).isEqualTo(-expected);
        assertThat(CodecBytes.roundTrip(descending, value)).isEqualTo(value);
        Pair<T, Integer> one = new Pair<>(last, random.nextInt());
        Pair<T, Integer> other = new Pair<>(value, random.nextInt());
        assertThat(CodecBytes.compare(pairs, one, other))
            .as("%s and %s", one, other)
            .isEqualTo(expected != 0 ? expected : Integer.compare(one.second(), other.second()));
        assertThat(CodecBytes.roundTrip(pairs, other)).isEqualTo(other);
        last = value;
      }
    }
  }

  static Stream<Subject<?>> subjects() {
    Comparator<String> byCodePoint =
        (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    Comparator<Key> byComponent =
        Comparator.comparing(Key::customer, byCodePoint)
            .thenComparing(Key::day)
            .thenComparingInt(Key::number);
    return Stream.of(
        natural("int64", Codec.int64(), OrderedCodecTest::number),
        natural("int32", Codec.int32(), r -> (int) number(r)),
        natural("int16", Codec.int16(), r -> (short) number(r)),
        natural("int8", Codec.int8(), r -> (byte) number(r)),
        natural("bool", Codec.bool(), r -> r.nextBoolean()),
        natural("char", Codec.character(), r -> (char) number(r)),
        natural("float64", Codec.float64(), r -> Double.longBitsToDouble(nan(number(r)))),
        natural("float32", Codec.float32(), r -> (float) number(r) / (float) (1 + r.nextInt(9))),
        new Subject<>("utf8", Codec.utf8(), byCodePoint, OrderedCodecTest::text),
        natural("instant", Codecs.instant(), OrderedCodecTest::instant),
        natural("duration", Codecs.duration(), r -> Duration.ofSeconds(number(r), nanos(r))),
        natural("localDate", Codecs.localDate(), OrderedCodecTest::date),
        natural(
            "year",
            Codecs.year(),
            r -> Year.of(r.nextInt(Year.MIN_VALUE, Year.MAX_VALUE + 1) >> r.nextInt(31))),
        natural("yearMonth", Codecs.yearMonth(), r -> YearMonth.from(date(r))),
        new Subject<Currency>(
            "currency",
            Codecs.currency(),
            Comparator.comparing(Currency::getCurrencyCode),
            r -> CURRENCIES.get(r.nextInt(CURRENCIES.size()))),
        new Subject<Locale>(
            "locale",
            Codecs.locale(),
            Comparator.comparing(each -> each.equals(Locale.ROOT) ? "" : each.toLanguageTag()),
            r -> LOCALES.get(r.nextInt(LOCALES.size()))),
        new Subject<URI>(
            "uri",
            Codecs.uri(),
            Comparator.comparing(URI::toString),
            r -> URI.create("http://host/" + r.nextInt(20) + "?q=" + r.nextInt(20))),
        natural("localTime", Codecs.localTime(), OrderedCodecTest::time),
        natural("localDateTime", Codecs.localDateTime(), r -> LocalDateTime.of(date(r), time(r))),
        natural("offsetDateTime", Codecs.offsetDateTime(), OrderedCodecTest::offsetDateTime),
        new Subject<ZonedDateTime>(
            "zonedDateTime",
            Codecs.zonedDateTime(),
            Comparator.comparing(ZonedDateTime::toInstant)
                .thenComparingInt(each -> each.getOffset().getTotalSeconds())
                .thenComparing(each -> each.getZone().getId()),
            OrderedCodecTest::zonedDateTime),
        new Subject<>(
            "uuid",
            Codecs.uuid(),
            Comparator.comparing(UUID::toString),
            r -> new UUID(number(r), number(r))),
        natural("bigInteger", Codecs.bigInteger(), OrderedCodecTest::bigInteger),
        new Subject<BigDecimal>(
            "decimal",
            Codecs.decimal(),
            Comparator.<BigDecimal>naturalOrder().thenComparingInt(BigDecimal::scale),
            OrderedCodecTest::decimal),
        natural("enum", Codecs.ordered(Size.class), r -> Size.values()[r.nextInt(3)]),
        new Subject<>("record", Codecs.ordered(Key.class), byComponent, OrderedCodecTest::key),
        new Subject<Pair<Key, String>>(
            "pair of record and string",
            Codecs.pair(Codecs.ordered(Key.class), Codec.utf8()),
            Comparator.<Pair<Key, String>, Key>comparing(Pair::first, byComponent)
                .thenComparing(Pair::second, byCodePoint),
            r -> new Pair<>(key(r), text(r))),
        new Subject<Optional<String>>(
            "optional",
            Codecs.optional(Codec.utf8()),
            Comparator.comparing(each -> each.map(text -> "b" + text).orElse("a"), byCodePoint),
            r -> r.nextInt(4) == 0 ? Optional.empty() : Optional.of(text(r))),
        OrderedCodecTest.<Long>natural(
            "mapped",
            Codecs.<Long, Long>map("half", Codec.int64(), v -> v / 2, v -> v * 2),
            r -> number(r) >> 2));
  }

  private static <T extends Comparable<? super T>> Subject<T> natural(
      String name, OrderedCodec<T> codec, Function<SplittableRandom, T> random) {
    return new Subject<>(name, codec, Comparator.naturalOrder(), random);
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void bytesHaveTheOrderOfValues(Subject<?> subject) {
    subject.check(VALUES);
  }

  /** Numbers of all magnitudes, with limits and neighbours. */
  private static long number(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(-3, 4);
      case 1 -> Long.MIN_VALUE + random.nextInt(3);
      case 2 -> Long.MAX_VALUE - random.nextInt(3);
      default -> random.nextLong() >> random.nextInt(Long.SIZE);
    };
  }

  private static long nan(long bits) {
    return Double.isNaN(Double.longBitsToDouble(bits)) ? 0 : bits;
  }

  private static int nanos(SplittableRandom random) {
    return random.nextBoolean() ? random.nextInt(2) * 999_999_999 : random.nextInt(1_000_000_000);
  }

  private static Instant instant(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> Instant.MIN;
      case 1 -> Instant.MAX;
      default -> Instant.ofEpochSecond(number(random) >> 10, nanos(random));
    };
  }

  private static LocalDate date(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> LocalDate.MIN;
      case 1 -> LocalDate.MAX;
      default -> LocalDate.ofEpochDay(number(random) % 400_000);
    };
  }

  private static LocalTime time(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> LocalTime.MIN;
      case 1 -> LocalTime.MAX;
      default -> LocalTime.ofSecondOfDay(random.nextInt(86_400)).withNano(nanos(random));
    };
  }

  private static ZoneOffset offset(SplittableRandom random) {
    return ZoneOffset.ofTotalSeconds(random.nextInt(-18, 19) * 3600);
  }

  private static OffsetDateTime offsetDateTime(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> OffsetDateTime.MIN;
      case 1 -> OffsetDateTime.MAX;
      default ->
          OffsetDateTime.ofInstant(
              Instant.ofEpochSecond(random.nextInt(3) * 3600L), offset(random));
    };
  }

  private static ZonedDateTime zonedDateTime(SplittableRandom random) {
    String[] zones = {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Z", "Europe/Paris"};
    // Half-hour steps around the end of a summer time, whose local times happen twice.
    return ZonedDateTime.ofInstant(
        Instant.parse("2025-10-25T22:00:00Z").plusSeconds(1800L * random.nextInt(8)),
        ZoneId.of(zones[random.nextInt(zones.length)]));
  }

  private static BigInteger bigInteger(SplittableRandom random) {
    BigInteger small = BigInteger.valueOf(number(random));
    return switch (random.nextInt(8)) {
      case 0 -> small.shiftLeft(8 * 123 + random.nextInt(64));
      case 1 -> BigInteger.ONE.shiftLeft(random.nextInt(1100)).negate();
      case 2 -> BigInteger.ONE.shiftLeft(random.nextInt(1100)).subtract(BigInteger.ONE);
      default -> small;
    };
  }

  private static BigDecimal decimal(SplittableRandom random) {
    BigInteger unscaled = random.nextBoolean() ? bigInteger(random) : smallInteger(random);
    int scale =
        switch (random.nextInt(8)) {
          case 0 -> Integer.MIN_VALUE;
          case 1 -> Integer.MAX_VALUE;
          default -> random.nextInt(-3, 6);
        };
    return new BigDecimal(unscaled, scale);
  }

  private static BigInteger smallInteger(SplittableRandom random) {
    return BigInteger.valueOf(random.nextInt(-20, 21) * (long) Math.pow(10, random.nextInt(4)));
  }

  private static String text(SplittableRandom random) {
    String[] pieces = {"", "a", "b", "\0", "\u0001", "\u007f", "é", "\uffff", "😀", "ab", "\0\0"};
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i >= 0; i--) {
      text.append(pieces[random.nextInt(pieces.length)]);
    }
    return text.toString();
  }

  private static Key key(SplittableRandom random) {
    return new Key(
        text(random), LocalDate.ofEpochDay(random.nextInt(-2, 3)), random.nextInt(-2, 3));
  }

  /** A locale that its tag does not describe would be read as another one. */
  @Test
  void aLocaleWithoutATagIsRefused() {
    assertThatThrownBy(() -> Codecs.encode(Codecs.locale(), Locale.of("no", "NO", "NY")))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("read as another locale");
    for (String tag : List.of("EN-us", "und", "not a tag", "i-klingon")) {
      assertThatThrownBy(() -> Codecs.decode(Codecs.locale(), tag.getBytes(UTF_8)))
          .as(tag)
          .isInstanceOf(CodecException.class);
    }
    assertThatThrownBy(() -> Codecs.decode(Codecs.currency(), "eur".getBytes(UTF_8)))
        .isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> Codecs.decode(Codecs.uri(), "a b".getBytes(UTF_8)))
        .isInstanceOf(CodecException.class);
  }

  record Booking(URI at, Currency in, Locale of, Year year, YearMonth month) {}

  @Test
  void recordsHaveSuchComponents() {
    Booking booking =
        new Booking(
            URI.create("https://example.org/1"),
            Currency.getInstance("EUR"),
            Locale.GERMANY,
            Year.of(2026),
            YearMonth.of(2026, 11));
    Codec<Booking> codec = Codecs.ordered(Booking.class);
    assertThat(CodecBytes.decode(codec, CodecBytes.encode(codec, booking))).isEqualTo(booking);
  }
}

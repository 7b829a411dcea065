package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.Pair;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.WordStore;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Currency;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every codec that the project makes, used by several threads at once through one instance, which
 * is new when they begin: each value comes back, and has the bytes that one thread gives it.
 */
final class SharedCodecsTest {

  private static final List<Color> COLORS = List.of(Color.values());
  private static final int THREADS = 4;
  private static final int ROUNDS = 12;
  private static final int VALUES = 24;

  enum Color {
    RED,
    GREEN,
    BLUE
  }

  record Point(int x, long y, @Nullable String name) {}

  record Line(Point from, Optional<Point> to, List<String> notes, Color color) {}

  sealed interface Shape permits Circle, Square {}

  record Circle(double radius) implements Shape {}

  record Square(String side, Color color) implements Shape {}

  private static final EncryptionKeys ENCRYPTION =
      new EncryptionKeys() {
        @Override
        public int current() {
          return 3;
        }

        @Override
        public @Nullable SecretKey key(int number) {
          return number == 3 ? new SecretKeySpec(new byte[16], "AES") : null;
        }
      };

  /**
   * A codec with values.
   *
   * @param factory the method that makes it, by its name and the number of its parameters
   */
  record Example<T>(String factory, String what, Supplier<Codec<T>> codec, IntFunction<T> value) {

    @Override
    public String toString() {
      return factory + " " + what;
    }
  }

  private static <T> Example<T> example(
      String factory, Supplier<Codec<T>> codec, IntFunction<T> value) {
    return new Example<>(factory, "", codec, value);
  }

  private static String text(int n) {
    return "é" + n + "x".repeat(n * 31 % 97) + "€";
  }

  private static Point point(int n) {
    return new Point(n, -n * 1_000_003L, n % 3 == 0 ? null : text(n));
  }

  private static Line line(int n) {
    Optional<Point> to = n % 2 == 0 ? Optional.empty() : Optional.of(point(n + 1));
    return new Line(point(n), to, List.of(text(n), "", text(n + 1)), Color.values()[n % 3]);
  }

  private static Shape shape(int n) {
    return n % 2 == 0 ? new Circle(n / 3.0) : new Square(text(n), Color.values()[n % 3]);
  }

  private static Instant instant(int n) {
    return Instant.ofEpochSecond(1_700_000_000L * n, n);
  }

  private static Currency currency(int n) {
    List<Currency> all =
        Currency.availableCurrencies()
            .sorted(Comparator.comparing(Currency::getCurrencyCode))
            .toList();
    return all.get(n % all.size());
  }

  private static LocalDateTime dateTime(int n) {
    return LocalDateTime.ofEpochSecond(86_399L * n, n, ZoneOffset.UTC);
  }

  static Stream<Example<?>> examples() {
    return Stream.of(
        example("int64 0", Codec::int64, n -> n * 1_000_000_007L),
        example("int32 0", Codec::int32, n -> n * 1_000_003),
        example("int16 0", Codec::int16, n -> (short) (n * 1_003)),
        example("int8 0", Codec::int8, n -> (byte) n),
        example("bool 0", Codec::bool, n -> n % 2 == 0),
        example("character 0", Codec::character, n -> (char) ('a' + n)),
        example("float64 0", Codec::float64, n -> n / 7.0),
        example("float32 0", Codec::float32, n -> n / 7.0f),
        example("utf8 0", Codec::utf8, SharedCodecsTest::text),
        example("bytes 0", Codec::bytes, n -> text(n).getBytes(StandardCharsets.UTF_8)),
        new Example<>("of 1", "record", () -> Codecs.of(Line.class), SharedCodecsTest::line),
        new Example<>("of 1", "enum", () -> Codecs.of(Color.class), n -> Color.values()[n % 3]),
        new Example<>("of 1", "sealed", () -> Codecs.of(Shape.class), SharedCodecsTest::shape),
        new Example<>("of 1", "array", () -> Codecs.of(long[].class), n -> new long[] {n, ~n, n}),
        example(
            "of 2", () -> Codecs.of(MethodHandles.lookup(), Point.class), SharedCodecsTest::point),
        new Example<>("ordered 1", "record", () -> Codecs.ordered(Point.class), n -> point(3 * n)),
        new Example<>(
            "ordered 1", "enum", () -> Codecs.ordered(Color.class), n -> Color.values()[n % 3]),
        example(
            "ordered 2",
            () -> Codecs.ordered(MethodHandles.lookup(), Point.class),
            SharedCodecsTest::point),
        example("instant 0", Codecs::instant, SharedCodecsTest::instant),
        example("duration 0", Codecs::duration, n -> Duration.ofSeconds(n * 77_777L, n)),
        example("localDate 0", Codecs::localDate, n -> LocalDate.ofEpochDay(n * 9_999L)),
        example("localTime 0", Codecs::localTime, n -> LocalTime.ofSecondOfDay(n * 3_333L)),
        example("year 0", Codecs::year, Year::of),
        example("yearMonth 0", Codecs::yearMonth, n -> YearMonth.of(n, n % 12 + 1)),
        example("currency 0", Codecs::currency, SharedCodecsTest::currency),
        example("locale 0", Codecs::locale, n -> Locale.of("de", n % 2 == 0 ? "AT" : "CH")),
        example("uri 0", Codecs::uri, n -> URI.create("urn:number:" + n)),
        example("localDateTime 0", Codecs::localDateTime, SharedCodecsTest::dateTime),
        example(
            "offsetDateTime 0",
            Codecs::offsetDateTime,
            n -> OffsetDateTime.of(dateTime(n), ZoneOffset.ofHours(n % 12))),
        example(
            "zonedDateTime 0",
            Codecs::zonedDateTime,
            n ->
                ZonedDateTime.of(
                    dateTime(n), ZoneId.of(n % 2 == 0 ? "Europe/Zurich" : "Asia/Tokyo"))),
        example("uuid 0", Codecs::uuid, n -> new UUID(n * 1_000_003L, ~n)),
        example("bigInteger 0", Codecs::bigInteger, n -> BigInteger.valueOf(-n).pow(n % 40 + 1)),
        example(
            "decimal 0", Codecs::decimal, n -> BigDecimal.valueOf(n * 99_991L - 500_000, n % 9)),
        example("list 1", () -> Codecs.list(Codec.utf8()), n -> List.of(text(n), "", text(n + 1))),
        example("set 1", () -> Codecs.set(Codec.utf8()), n -> Set.of(text(n))),
        new Example<>(
            "map 2",
            "elements",
            () -> Codecs.map(Codec.utf8(), Codec.int32()),
            n -> Map.of(text(n), n)),
        new Example<>(
            "optional 1",
            "plain",
            () -> Codecs.optional(Codecs.list(Codec.int32())),
            n -> n % 2 == 0 ? Optional.empty() : Optional.of(List.of(n, n))),
        new Example<>(
            "optional 1",
            "ordered",
            () -> Codecs.optional(Codec.utf8()),
            n -> n % 2 == 0 ? Optional.empty() : Optional.of(text(n))),
        new Example<>(
            "nullable 1",
            "plain",
            () -> Codecs.list(Codecs.nullable(Codecs.list(Codec.int32()))),
            n -> Arrays.asList(null, List.of(n), n % 2 == 0 ? null : List.of())),
        new Example<>(
            "nullable 1",
            "ordered",
            () -> Codecs.list(Codecs.nullable(Codec.utf8())),
            n -> Arrays.asList(text(n), null)),
        new Example<>(
            "pair 2",
            "plain",
            () -> Codecs.pair(Codecs.of(Line.class), Codec.int32()),
            n -> new Pair<>(line(n), n)),
        new Example<>(
            "pair 2",
            "ordered",
            () -> Codecs.pair(Codec.utf8(), Codec.utf8()),
            n -> new Pair<>(text(n), text(n + 1))),
        example("descending 1", () -> Codecs.descending(Codec.utf8()), SharedCodecsTest::text),
        new Example<>(
            "map 4",
            "plain",
            () ->
                Codecs.map(
                    "joined",
                    Codecs.list(Codec.utf8()),
                    l -> String.join("|", l),
                    t -> List.of(t.split("\\|"))),
            SharedCodecsTest::text),
        new Example<>(
            "map 4",
            "ordered",
            () -> Codecs.map("boxed", Codec.int64(), n -> List.of(n), l -> l.get(0)),
            n -> List.of((long) n)),
        example(
            "compressed 1",
            () -> Codecs.compressed(Codec.utf8()),
            n -> text(n).repeat(1 + n % 5 * 40)),
        example(
            "encrypted 2",
            () -> Codecs.encrypted(Codecs.of(Line.class), ENCRYPTION),
            SharedCodecsTest::line));
  }

  /** A factory that is added needs an example. */
  @Test
  void everyFactoryHasAnExample() {
    Set<String> factories =
        Stream.of(Codec.class, Codecs.class)
            .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(method -> Modifier.isStatic(method.getModifiers()))
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(method -> Codec.class.isAssignableFrom(method.getReturnType()))
            .filter(method -> !method.isSynthetic())
            .map(method -> method.getName() + " " + method.getParameterCount())
            .collect(Collectors.toSet());
    Set<String> shown = examples().map(Example::factory).collect(Collectors.toSet());
    assertThat(shown).containsExactlyInAnyOrderElementsOf(factories);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void threadsShareACodec(Example<?> example) throws Exception {
    share(example, false);
  }

  /** As a store binds it: what it knows of stored shapes is shared, too. */
  @ParameterizedTest
  @MethodSource("examples")
  void threadsShareABoundCodec(Example<?> example) throws Exception {
    share(example, true);
  }

  private static <T> void share(Example<T> example, boolean isBound) throws Exception {
    boolean isRandom = example.factory().startsWith("encrypted");
    List<T> values = new ArrayList<>();
    List<byte[]> expected = new ArrayList<>();
    StoredTexts texts = new StoredTexts();
    Codec<T> alone = isBound ? example.codec().get().bind(texts) : example.codec().get();
    for (int n = 0; n < VALUES; n++) {
      values.add(example.value().apply(n));
      expected.add(CodecBytes.encode(alone, values.get(n)));
    }
    SharedRounds.run(
        THREADS,
        ROUNDS,
        () -> isBound ? example.codec().get().bind(texts) : example.codec().get(),
        (codec, thread) -> {
          EncodingBuffer out = new EncodingBuffer();
          DecodingBuffer in = new DecodingBuffer();
          for (int i = 0; i < VALUES; i++) {
            int n = (i * 7 + thread * 5) % VALUES;
            out.clear();
            codec.encode(values.get(n), out);
            byte[] bytes = Arrays.copyOf(out.array(), out.length());
            if (!isRandom) {
              assertThat(bytes).isEqualTo(expected.get(n));
            }
            in.wrap(bytes, 0, bytes.length);
            assertThat(codec.decode(in)).isEqualTo(values.get(n));
            in.wrap(expected.get(n), 0, expected.get(n).length);
            assertThat(codec.decode(in)).isEqualTo(values.get(n));
          }
        });
  }

  /** The handle of a map is shared, and opened by each thread, too. */
  @Test
  void threadsShareTheCodecsOfAMap() throws Exception {
    try (WordStore store = WordStore.inMemory()) {
      SharedRounds.run(
          THREADS,
          ROUNDS,
          () -> store.map("lines", Color.class, Line.class),
          (map, thread) -> {
            PersistentMap<Integer, Shape> own =
                store.map("shapes " + thread, Codec.int32(), Codecs.of(Shape.class));
            for (int n = 0; n < VALUES; n++) {
              int number = n;
              Color key = COLORS.get(n % 3);
              store.run(
                  tx -> {
                    map.put(tx, key, line(number));
                    own.put(tx, number, shape(number));
                  });
              store.read(
                  tx -> {
                    Line found = Objects.requireNonNull(map.get(tx, key));
                    assertThat(found).isEqualTo(line(found.from().x()));
                    assertThat(found.from().x() % 3).isEqualTo(COLORS.indexOf(key));
                    assertThat(own.get(tx, number)).isEqualTo(shape(number));
                    return 0;
                  });
            }
          });
    }
  }

  /** The texts of a store's shapes. Thread-safe. */
  private static final class StoredTexts implements Shapes {
    private final Map<String, String> texts = new HashMap<>(); // guarded by this

    @Override
    public boolean isForKeys() {
      return false;
    }

    @Override
    public synchronized Entry open(
        String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
      String text = Objects.requireNonNull(update.apply(texts.get(name)));
      texts.put(name, text);
      return new Entry(name, text);
    }

    @Override
    public synchronized @Nullable String text(String name) {
      return texts.get(name);
    }
  }
}

package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.FormerName;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Codecs derived from classes, and made of others: round trips, refusals, hostile bytes. */
final class DerivedCodecTest {

  enum Colour {
    RED,
    GREEN
  }

  sealed interface Payment permits Card, Cash, Other {}

  record Card(String number, Colour colour) implements Payment {}

  record Cash() implements Payment {}

  sealed interface Other extends Payment permits Voucher, Kind {}

  record Voucher(long code) implements Other {}

  enum Kind implements Other {
    FREE,
    GIFT
  }

  /** As Kotlin compiles a sealed interface with a {@code data object}. */
  sealed interface Event permits Moved, Nothing {}

  record Moved(int by) implements Event {}

  static final class Nothing implements Event {
    static final Nothing INSTANCE = new Nothing();

    private Nothing() {}
  }

  /** With a state of its own an object is no singleton. */
  sealed interface Counting permits Counter {}

  static final class Counter implements Counting {
    static final Counter INSTANCE = new Counter();
    int count;

    private Counter() {}
  }

  @Test
  void theOnlyObjectOfAClassIsACaseWithoutBytes() {
    Codec<Event> codec = Codecs.of(Event.class);
    for (Event event : List.of(new Moved(5), Nothing.INSTANCE)) {
      EncodingBuffer out = new EncodingBuffer();
      codec.encode(event, out);
      DecodingBuffer in = new DecodingBuffer();
      in.wrap(out.toBytes(), 0, out.length());
      assertThat(codec.decode(in)).isEqualTo(event);
    }
    assertThatThrownBy(() -> Codecs.of(Counting.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Counter");
  }

  /** Annotations that class files have and reflection does not show. */
  static final class Hidden {
    @Retention(RetentionPolicy.CLASS)
    @Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
    @interface Nullable {}

    @Retention(RetentionPolicy.CLASS)
    @Target(ElementType.TYPE_USE)
    @interface NotNullable {}

    /** Of types, as those of JSpecify. */
    static final class OfTypes {
      @Retention(RetentionPolicy.CLASS)
      @Target(ElementType.TYPE_USE)
      @interface Nullable {}

      private OfTypes() {}
    }

    private Hidden() {}
  }

  record HiddenTypes(
      @Hidden.OfTypes.Nullable String note,
      @Hidden.NotNullable String always,
      List<@Hidden.OfTypes.Nullable String> notes) {}

  @Test
  void anAnnotationOfATypeIsSeenAsWellAndNoOtherOne() {
    assertThat(HiddenNulls.of(HiddenTypes.class)).containsExactly("note");
    assertThat(HiddenNulls.of(HiddenNote.class)).containsExactly("note");
    assertThat(HiddenNulls.of(Primitive.class)).isEmpty();
  }

  record HiddenNote(long id, @Hidden.Nullable String note, String always) {}

  @Test
  @SuppressWarnings("NullAway") // the null of a component that may not be null
  void anAnnotationThatReflectionDoesNotShowLetsAComponentBeNull() {
    Codec<HiddenNote> codec = Codecs.of(HiddenNote.class);
    EncodingBuffer out = new EncodingBuffer();
    HiddenNote without = new HiddenNote(1, null, "there");
    codec.encode(without, out);
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(out.toBytes(), 0, out.length());
    assertThat(codec.decode(in)).isEqualTo(without);
    assertThatThrownBy(() -> codec.encode(new HiddenNote(1, "note", null), new EncodingBuffer()))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("HiddenNote.always");
  }

  record Primitive(long a, int b, short c, byte d, boolean e, char f, double g, float h) {}

  record Boxed(Long a, Integer b, Short c, Byte d, Boolean e, Character f, Double g, Float h) {}

  record Times(
      Instant instant,
      LocalDate date,
      LocalDateTime dateTime,
      OffsetDateTime offset,
      ZonedDateTime zoned,
      Duration duration) {}

  record Line(String article, int count, BigDecimal price) {}

  private record Everything(
      UUID id,
      Primitive primitive,
      Boxed boxed,
      Times times,
      BigInteger integer,
      BigDecimal decimal,
      Optional<String> present,
      Optional<Line> absent,
      @Nullable String nothing,
      @Nullable Line something,
      List<Line> lines,
      List<@Nullable String> holes,
      Set<Colour> colours,
      Map<String, List<Instant>> map,
      Colour colour,
      Payment card,
      List<Payment> payments) {}

  @SuppressWarnings("ArrayRecordComponent") // a codec takes them all the same
  record Arrays1(long[] a, int[] b, double[] c, byte[] d, boolean[] e, String[] f, Line[] g) {}

  private static Everything everything() {
    Instant now = Instant.parse("2025-03-01T10:15:30.123456789Z");
    Map<String, List<Instant>> map = new LinkedHashMap<>();
    map.put("z", List.of(now, Instant.EPOCH));
    map.put("a", List.of());
    Line line = new Line("tea\0pot", -3, new BigDecimal("-0.50"));
    return new Everything(
        new UUID(1, -2),
        new Primitive(Long.MIN_VALUE, -1, (short) -2, (byte) -3, true, 'x', -0.0, Float.NaN),
        new Boxed(1L, 2, (short) 3, (byte) 4, false, '\0', Double.NaN, -1.5f),
        new Times(
            now,
            LocalDate.MIN,
            LocalDateTime.MAX,
            OffsetDateTime.parse("2025-03-01T10:15:30+05:30"),
            ZonedDateTime.parse("2025-10-26T02:30:00+01:00[Europe/Berlin]"),
            Duration.ofNanos(-1)),
        BigInteger.TWO.pow(1000).negate(),
        new BigDecimal("12345678901234567890.123"),
        Optional.of("here"),
        Optional.empty(),
        null,
        line,
        List.of(line, new Line("", 0, BigDecimal.ZERO)),
        Arrays.asList("a", null, "x".repeat(200)),
        new LinkedHashSet<>(List.of(Colour.GREEN, Colour.RED)),
        map,
        Colour.GREEN,
        new Card("42", Colour.RED),
        List.of(new Cash(), new Voucher(7), Kind.GIFT, new Card("", Colour.GREEN)));
  }

  @Test
  void everyTypeComesBack() {
    Codec<Everything> codec = Codecs.of(Everything.class);
    assertThat(CodecBytes.roundTrip(codec, everything())).isEqualTo(everything());
    assertThat(CodecBytes.roundTrip(Codecs.of(Payment.class), Kind.FREE)).isEqualTo(Kind.FREE);
  }

  @Test
  void arraysComeBack() {
    Arrays1 value =
        new Arrays1(
            new long[] {1, -1},
            new int[] {Integer.MIN_VALUE, -1, 0, 258},
            new double[] {0.5},
            new byte[] {0, -1},
            new boolean[] {true, false},
            new String[] {"a", ""},
            new Line[] {new Line("b", 1, BigDecimal.TEN)});
    Arrays1 back = CodecBytes.roundTrip(Codecs.of(Arrays1.class), value);
    assertThat(back).usingRecursiveComparison().isEqualTo(value);
  }

  @Test
  void partsOfAnyLengthComeBack() {
    for (int length : new int[] {0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152}) {
      List<byte[]> value = List.of(new byte[length], new byte[] {1});
      List<byte[]> back = CodecBytes.roundTrip(Codecs.list(Codec.bytes()), value);
      assertThat(back.getFirst()).hasSize(length);
      assertThat(back.getLast()).containsExactly(1);
    }
  }

  @Test
  void aRecordOfAnotherModulesPackageNeedsALookup() {
    assertThat(CodecBytes.roundTrip(Codecs.of(Pair1.class), new Pair1(1))).isEqualTo(new Pair1(1));
  }

  private record Pair1(int a) {}

  @Test
  void aLookupThatSeesTheRecordIsTaken() {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    assertThat(CodecBytes.roundTrip(Codecs.of(lookup, Pair1.class), new Pair1(2)))
        .isEqualTo(new Pair1(2));
    assertThat(CodecBytes.roundTrip(Codecs.ordered(lookup, Pair1.class), new Pair1(3)))
        .isEqualTo(new Pair1(3));
    assertThatThrownBy(() -> Codecs.of(MethodHandles.publicLookup(), Pair1.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("cannot see")
        .hasMessageContaining("MethodHandles.lookup()");
  }

  /** Some libraries have an annotation of that name that is not one of types. */
  static final class OtherLibrary {
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    @interface Nullable {}
  }

  record Declared(@OtherLibrary.Nullable String note, @FormerName("text") String title) {}

  @Test
  void theAnnotationOfAnyLibrarySaysWhatMayBeNull() {
    Codec<Declared> codec = Codecs.of(Declared.class);
    assertThat(CodecBytes.roundTrip(codec, withoutNote("t"))).isEqualTo(withoutNote("t"));
    assertThatThrownBy(() -> CodecBytes.encode(codec, withoutNote(null)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Declared.title is null");
  }

  @SuppressWarnings("NullAway") // the annotation is not one that the checker knows
  private static Declared withoutNote(@Nullable String title) {
    return new Declared(null, title);
  }

  record Numbers1(long a, int b) {}

  @Test
  void aNumberMayHaveAnotherCodecThanItsOwn() {
    Codec<Numbers1> codec =
        CodecRegistry.defaults()
            .withComponent(Numbers1.class, "a", Codecs.descending(Codec.int64()))
            .withComponent(Numbers1.class, "b", Codecs.descending(Codec.int32()))
            .of(Numbers1.class);
    assertThat(CodecBytes.hex(codec, new Numbers1(1, 2))).isEqualTo("7ffffffffffffffe7ffffffd");
    assertThat(CodecBytes.roundTrip(codec, new Numbers1(1, 2))).isEqualTo(new Numbers1(1, 2));
    assertThat(CodecBytes.hex(Codecs.of(Numbers1.class), new Numbers1(1, 2)))
        .isEqualTo("800000000000000180000002");
  }

  @Test
  void aKeyTakesCodecsWithAnOrderOnly() {
    CodecRegistry registry =
        CodecRegistry.defaults()
            .withComponent(Numbers1.class, "a", Codecs.compressed(Codec.int64()));
    assertThatThrownBy(() -> registry.ordered(Numbers1.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Numbers1.a has the codec compressed int64, whose bytes have no");
    assertThatThrownBy(
            () ->
                CodecRegistry.defaults()
                    .with(Colour.class, Codecs.compressed(Codecs.of(Colour.class)))
                    .ordered(Colour.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("whose bytes have no order");
  }

  @Test
  void valuesMayStandForOthersWithoutAnOrder() {
    Codec<List<Integer>> stored = Codecs.list(Codec.int32());
    Codec<Integer> sum =
        Codecs.map(
            "sum", stored, list -> list.stream().mapToInt(each -> each).sum(), n -> List.of(n, 0));
    assertThat(CodecBytes.hex(sum, 5)).isEqualTo("02" + "80000005" + "80000000");
    assertThat(CodecBytes.roundTrip(sum, 5)).isEqualTo(5);
    assertThat(sum.fixedLength()).isEqualTo(Codec.VARIABLE);
    assertThat(
            Codecs.map("cents", (Codec<Long>) Codec.int64(), v -> v / 100, v -> v * 100)
                .fixedLength())
        .isEqualTo(8);
  }

  record Chain(@Nullable Chain next) {}

  record Odd(Thread thread) {}

  record Raw(@SuppressWarnings("rawtypes") List list) {}

  record Generic<T>(T value) {}

  record OfGeneric(Generic<String> value) {}

  @Test
  void whatHasNoCodecIsRefusedByItsComponent() {
    assertThatThrownBy(() -> Codecs.of(Chain.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Chain.next");
    assertThatThrownBy(() -> Codecs.of(Odd.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Odd.thread")
        .hasMessageContaining("java.lang.Thread");
    assertThatThrownBy(() -> Codecs.of(Raw.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Raw.list");
    assertThatThrownBy(() -> Codecs.of(OfGeneric.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("OfGeneric.value");
    assertThatThrownBy(() -> Codecs.ordered(Line[].class)).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> Codecs.ordered(Payment.class)).isInstanceOf(CodecException.class);
  }

  @Test
  @SuppressWarnings("NullAway") // that is the point
  void nullIsRefusedByItsComponent() {
    assertThatThrownBy(
            () -> CodecBytes.encode(Codecs.of(Line.class), new Line(null, 1, BigDecimal.ONE)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Line.article")
        .hasMessageContaining("@Nullable")
        .hasMessageContaining("org.jspecify:jspecify) is missing at run time");
    assertThatThrownBy(() -> CodecBytes.encode(Codecs.list(Codec.utf8()), Arrays.asList("a", null)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("an element of a list");
  }

  @Test
  void aComponentMayHaveACodecOfItsOwn() {
    Codec<BigDecimal> cents =
        Codecs.map(
            "cents",
            Codec.int64(),
            value -> BigDecimal.valueOf(value, 2),
            value -> value.movePointRight(2).longValueExact());
    CodecRegistry registry = CodecRegistry.defaults().withComponent(Line.class, "price", cents);
    Line line = new Line("a", 1, new BigDecimal("1.25"));
    assertThat(CodecBytes.roundTrip(registry.of(Line.class), line)).isEqualTo(line);
    assertThat(CodecBytes.encode(registry.of(Line.class), line)).hasSize(2 + 4 + 8);
    assertThat(
            CodecBytes.roundTrip(
                CodecRegistry.defaults().with(BigDecimal.class, cents).of(Line.class), line))
        .isEqualTo(line);
    assertThatThrownBy(() -> registry.withComponent(Line.class, "prize", cents))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("prize");
  }

  @Test
  void aCodecThatLiesAboutItsLengthIsFoundOut() {
    Codec<String> liar =
        new Codec<>() {
          @Override
          public String name() {
            return "liar";
          }

          @Override
          public int fixedLength() {
            return 4;
          }

          @Override
          public void encode(String value, Encoder out) {
            out.putUtf8(value);
          }

          @Override
          public String decode(Decoder in) {
            return in.getUtf8(in.remaining());
          }
        };
    Codec<Line> codec =
        CodecRegistry.defaults().withComponent(Line.class, "article", liar).of(Line.class);
    Line good = new Line("four", 1, BigDecimal.ONE);
    assertThat(CodecBytes.roundTrip(codec, good)).isEqualTo(good);
    assertThatThrownBy(() -> CodecBytes.encode(codec, new Line("three", 1, BigDecimal.ONE)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("liar")
        .hasMessageContaining("have 4 bytes, and wrote 5")
        .hasMessageContaining("Line.article");
  }

  @Test
  void compressedValuesComeBack() {
    Codec<String> codec = Codecs.compressed(Codec.utf8());
    for (int length : new int[] {0, 1, 63, 64, 1000, 100_000}) {
      String text = "ab".repeat(length).substring(length);
      assertThat(CodecBytes.roundTrip(codec, text)).isEqualTo(text);
    }
    assertThat(CodecBytes.encode(codec, "a".repeat(100_000))).hasSizeLessThan(1000);
    byte[] noise = new byte[1000];
    new SplittableRandom(1).nextBytes(noise);
    assertThat(CodecBytes.encode(Codecs.compressed(Codec.bytes()), noise)).hasSize(1001);
    assertThat(CodecBytes.roundTrip(Codecs.compressed(Codec.bytes()), noise)).isEqualTo(noise);
  }

  @Test
  void anImpossibleLengthIsRefusedBeforeItIsAllocated() {
    EncodingBuffer out = new EncodingBuffer();
    out.putVarint(Integer.MAX_VALUE);
    byte[] bytes = Arrays.copyOf(out.array(), out.length() + 20);
    for (Codec<?> codec :
        List.of(
            Codecs.compressed(Codec.bytes()),
            Codecs.list(Codec.int64()),
            Codecs.list(Codecs.of(Cash.class)),
            Codecs.set(Codec.utf8()),
            Codecs.map(Codec.utf8(), Codec.utf8()),
            Codecs.of(long[].class),
            Codecs.of(String[].class))) {
      assertThatThrownBy(() -> CodecBytes.decode(codec, bytes))
          .as(codec.name())
          .isInstanceOf(CodecException.class);
    }
  }

  private static final class Keys implements EncryptionKeys {
    private int current = 1;

    @Override
    public int current() {
      return current;
    }

    @Override
    public @Nullable SecretKey key(int number) {
      return number < 1 || number > 2
          ? null
          : new SecretKeySpec(("0123456789abcde" + number).getBytes(StandardCharsets.UTF_8), "AES");
    }
  }

  @Test
  void encryptedValuesComeBackWithTheirKey() {
    Keys keys = new Keys();
    Codec<String> codec = Codecs.encrypted(Codec.utf8(), keys);
    byte[] first = CodecBytes.encode(codec, "secret");
    keys.current = 2;
    byte[] second = CodecBytes.encode(codec, "secret");
    assertThat(first).hasSize(6 + 32);
    assertThat(new String(first, StandardCharsets.ISO_8859_1)).doesNotContain("secret");
    assertThat(CodecBytes.decode(codec, first)).isEqualTo("secret");
    assertThat(CodecBytes.decode(codec, second)).isEqualTo("secret");
    assertThat(CodecBytes.encode(codec, "secret")).isNotEqualTo(second);
    for (int i = 0; i < first.length; i++) {
      byte[] changed = first.clone();
      changed[i] ^= 1;
      assertThatThrownBy(() -> CodecBytes.decode(codec, changed))
          .as("byte %d", i)
          .isInstanceOf(CodecException.class);
    }
    Codec<byte[]> plain = Codecs.encrypted(Codec.bytes(), keys);
    assertThat(CodecBytes.roundTrip(plain, new byte[0])).isEmpty();
    assertThatThrownBy(() -> CodecBytes.decode(codec, Arrays.copyOf(first, 20)))
        .isInstanceOf(CodecException.class);
    assertThatThrownBy(
            () -> CodecBytes.decode(Codecs.encrypted(Codecs.list(Codec.utf8()), keys), first))
        .as("a value of another type")
        .isInstanceOf(CodecException.class);
  }

  static Stream<Codec<?>> all() {
    return Stream.of(
        Codecs.of(Everything.class),
        Codecs.of(Arrays1.class),
        Codecs.of(Payment.class),
        Codecs.ordered(OrderedCodecTest.Key.class),
        Codecs.descending(Codecs.ordered(OrderedCodecTest.Key.class)),
        Codecs.compressed(Codec.utf8()),
        Codecs.decimal(),
        Codecs.bigInteger(),
        Codecs.zonedDateTime(),
        Codecs.offsetDateTime(),
        Codecs.localDateTime());
  }

  /** A decoder may return another value or throw, but always the one type of error. */
  @ParameterizedTest
  @MethodSource("all")
  void hostileBytesAreRefusedByATypedError(Codec<?> codec) {
    SplittableRandom random = new SplittableRandom(11);
    byte[] good = CodecBytes.encode(Codecs.of(Everything.class), everything());
    int refused = 0;
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = random.nextBoolean() ? good.clone() : new byte[random.nextInt(200)];
      if (bytes.length == good.length) {
        IntStream.range(0, 1 + random.nextInt(4))
            .forEach(_ -> bytes[random.nextInt(bytes.length)] = (byte) random.nextInt());
      } else {
        random.nextBytes(bytes);
      }
      try {
        CodecBytes.decode(codec, bytes);
      } catch (CodecException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }
}

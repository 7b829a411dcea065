package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.bytes.DecodingBuffer;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A value has one form: what a codec decodes, it encodes to the same bytes. Keys are compared by
 * their bytes, so a key in a second form would be shown, and not be found. Codecs that cannot be
 * those of keys are left out.
 */
final class SecondFormsTest {

  private static final int RANDOM_VALUES = 20;
  private static final int ALTERATIONS = 30;
  private static final int RANDOM_BYTES = 3_000;

  /** A codec with values; none is a codec of sets, of maps, or of compressed or encrypted bytes. */
  record Subject<T>(Codec<T> codec, List<T> values) {
    @Override
    public String toString() {
      return codec.name();
    }
  }

  /** With parts of several lengths, which have their length before them. */
  record Parts(BigInteger number, List<String> texts, BigDecimal decimal) {}

  static Stream<Subject<?>> subjects() {
    Stream<Subject<?>> ordered =
        OrderedCodecTest.subjects()
            .filter(each -> !each.name().equals("mapped")) // by functions that lose a bit
            .map(SecondFormsTest::random);
    Stream<Subject<?>> altered =
        AlteredBytesTest.all()
            .filter(each -> !isNoKey(each.codec().name()))
            .map(SecondFormsTest::encoded);
    Stream<Subject<?>> others =
        Stream.of(
            one(Codec.bytes(), new byte[] {0, 1, -1}),
            one(Codec.float64(), Double.NaN),
            one(Codec.float32(), Float.NaN),
            one(Codecs.descending(Codec.float64()), Double.NaN),
            one(Codecs.of(boolean[].class), new boolean[] {true, false}),
            one(Codecs.of(double[].class), new double[] {1, Double.NaN}),
            one(Codecs.of(float[].class), new float[] {1, Float.NaN}),
            one(Codecs.list(Codec.utf8()), List.of("a".repeat(200), "\uFFFD")),
            one(Codecs.list(Codecs.bigInteger()), List.of(BigInteger.ONE)),
            one(
                Codecs.list(Codecs.optional((Codec<Boolean>) Codec.bool())),
                List.of(Optional.of(true), Optional.empty())),
            one(Codecs.descending(mapped()), BigInteger.TWO),
            one(Codecs.pair(mapped(), Codec.bool()), new Pair<>(BigInteger.TEN, true)),
            one(
                Codecs.zonedDateTime(),
                ZonedDateTime.of(2025, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(1))),
            one(
                Codecs.of(Parts.class),
                new Parts(BigInteger.TWO, List.of("a", "b"), BigDecimal.ONE)),
            one(Codecs.nullable(Codec.int8()), (byte) 3));
    return Stream.of(ordered, altered, others).flatMap(each -> each);
  }

  private static OrderedCodec<BigInteger> mapped() {
    return Codecs.map("mapped integer", Codecs.bigInteger(), value -> value, value -> value);
  }

  private static boolean isNoKey(String name) {
    return name.startsWith("set ")
        || name.startsWith("map ")
        || name.startsWith("compressed ")
        || name.startsWith("encrypted ");
  }

  private static <T> Subject<T> encoded(AlteredBytesTest.Encoded<T> encoded) {
    return one(encoded.codec(), encoded.value());
  }

  private static <T> Subject<T> one(Codec<T> codec, T value) {
    return new Subject<>(codec, List.of(value));
  }

  @SuppressWarnings("unchecked") // the random values are the codec's
  private static <T> Subject<T> random(OrderedCodecTest.Subject<T> subject) {
    SplittableRandom random = new SplittableRandom(7);
    List<T> values = new ArrayList<>();
    for (int i = 0; i < RANDOM_VALUES; i++) {
      values.add(subject.random().apply(random));
    }
    return new Subject<>(subject.codec(), values);
  }

  @ParameterizedTest
  @MethodSource("subjects")
  <T> void aValueHasOneForm(Subject<T> subject) {
    for (T value : subject.values()) {
      byte[] bytes = CodecBytes.encode(subject.codec(), value);
      assertThat(CodecBytes.encode(subject.codec(), CodecBytes.decode(subject.codec(), bytes)))
          .isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("subjects")
  <T> void oneOtherByteIsTheOneFormOfAValueOrIsRefused(Subject<T> subject) {
    for (T value : subject.values().subList(0, Math.min(8, subject.values().size()))) {
      byte[] bytes = CodecBytes.encode(subject.codec(), value);
      for (int i = 0; i < bytes.length; i++) {
        for (int other = 0; other < 1 << Byte.SIZE; other++) {
          byte[] altered = bytes.clone();
          altered[i] = (byte) other;
          requireOneForm(subject.codec(), altered);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("subjects")
  <T> void bytesThatComeGoAndRepeatAreTheOneFormOfAValueOrAreRefused(Subject<T> subject) {
    SplittableRandom random = new SplittableRandom(11);
    for (T value : subject.values()) {
      byte[] bytes = CodecBytes.encode(subject.codec(), value);
      for (int length = 0; length < bytes.length; length++) {
        requireOneForm(subject.codec(), Arrays.copyOf(bytes, length));
      }
      for (int i = 0; i < ALTERATIONS; i++) {
        byte[] altered = bytes;
        for (int times = random.nextInt(1, 4); times > 0; times--) {
          altered = altered(altered, random);
        }
        requireOneForm(subject.codec(), altered);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("subjects")
  <T> void anyBytesAreTheOneFormOfAValueOrAreRefused(Subject<T> subject) {
    SplittableRandom random = new SplittableRandom(13);
    int fixed = subject.codec().fixedLength();
    for (int i = 0; i < RANDOM_BYTES; i++) {
      byte[] bytes = new byte[fixed >= 0 ? fixed : random.nextInt(24)];
      for (int at = 0; at < bytes.length; at++) {
        bytes[at] = byteOf(random);
      }
      requireOneForm(subject.codec(), bytes);
    }
  }

  /** Bytes that mean something to a codec: ends, escapes, signs, lengths. */
  private static byte byteOf(SplittableRandom random) {
    int[] special = {0, 1, 2, 11, 0x3F, 0x40, 0x7E, 0x7F, 0x80, 0x81, 0xBF, 0xC0, 0xFE, 0xFF};
    return (byte)
        (random.nextInt(3) == 0 ? random.nextInt(256) : special[random.nextInt(special.length)]);
  }

  private static byte[] altered(byte[] bytes, SplittableRandom random) {
    int at = random.nextInt(bytes.length + 1);
    byte[] head = Arrays.copyOf(bytes, at);
    byte[] tail = Arrays.copyOfRange(bytes, at, bytes.length);
    return switch (random.nextInt(4)) {
      case 0 -> joined(head, new byte[] {byteOf(random)}, tail);
      case 1 ->
          joined(
              head, new byte[0], Arrays.copyOfRange(tail, Math.min(1, tail.length), tail.length));
      case 2 -> joined(head, Arrays.copyOf(tail, Math.min(1, tail.length)), tail);
      default -> {
        byte[] other = bytes.clone();
        if (at < other.length) {
          other[at] = byteOf(random);
        }
        yield other;
      }
    };
  }

  private static byte[] joined(byte[] one, byte[] two, byte[] three) {
    byte[] all = Arrays.copyOf(one, one.length + two.length + three.length);
    System.arraycopy(two, 0, all, one.length, two.length);
    System.arraycopy(three, 0, all, one.length + two.length, three.length);
    return all;
  }

  private static <T> void requireOneForm(Codec<T> codec, byte[] bytes) {
    if (codec.fixedLength() >= 0 && codec.fixedLength() != bytes.length) {
      return; // a collection gives a codec of one length no other
    }
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(bytes, 0, bytes.length);
    T value;
    try {
      value = codec.decode(in);
    } catch (CodecException _) {
      return;
    } catch (RuntimeException e) {
      throw new AssertionError(codec.name() + " of " + HexFormat.of().formatHex(bytes), e);
    }
    if (in.remaining() > 0) {
      assertThat(codec).isInstanceOf(Part.SelfDelimiting.class); // whose callers ask what is left
      return;
    }
    byte[] encoded;
    try {
      encoded = CodecBytes.encode(codec, value);
    } catch (CodecException e) {
      throw new AssertionError(
          codec.name() + " decodes what it does not encode, " + HexFormat.of().formatHex(bytes), e);
    }
    if (!Arrays.equals(encoded, bytes) && !isOfOtherRules(value)) {
      throw new AssertionError(
          "%s decodes %s from %s, and encodes it to %s"
              .formatted(
                  codec.name(),
                  value,
                  HexFormat.of().formatHex(bytes),
                  HexFormat.of().formatHex(encoded)));
    }
  }

  /** The rules of a region change; then an instant in it has another offset than the stored one. */
  private static boolean isOfOtherRules(Object value) {
    return value instanceof ZonedDateTime time && !(time.getZone() instanceof ZoneOffset);
  }

  @Test
  void everyOrderedCodecIsASubject() throws ReflectiveOperationException {
    Set<String> known = new TreeSet<>();
    subjects().forEach(each -> known.add(each.codec().name()));
    int count = 0;
    for (Class<?> type : List.of(Codec.class, Codecs.class)) {
      for (Method each : type.getDeclaredMethods()) {
        if (Modifier.isStatic(each.getModifiers())
            && Modifier.isPublic(each.getModifiers())
            && each.getParameterCount() == 0
            && each.getReturnType() == OrderedCodec.class) {
          assertThat(known).contains(((OrderedCodec<?>) each.invoke(null)).name());
          count++;
        }
      }
    }
    assertThat(count).isGreaterThanOrEqualTo(20);
  }
}

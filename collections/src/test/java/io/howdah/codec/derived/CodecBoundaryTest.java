package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.codec.bytes.EncodingTooLongException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Encodings at the limits of their lengths, counts and numbers: the last that fits, the next. */
final class CodecBoundaryTest {

  private static final int FIRST_CAPACITY = new EncodingBuffer().array().length;

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static DecodingBuffer decoder(String hex) {
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(bytes(hex), 0, hex.length() / 2);
    return in;
  }

  // ---- The encoder's memory.

  @Test
  void theArrayGrowsOnlyWhenAByteDoesNotFit() {
    EncodingBuffer out = new EncodingBuffer();
    byte[] first = out.array();
    out.putBytes(new byte[FIRST_CAPACITY]);
    assertThat(out.array()).isSameAs(first);
    out.putByte(7);
    assertThat(out.array()).hasSize(2 * FIRST_CAPACITY);
    assertThat(out.array()[FIRST_CAPACITY]).isEqualTo((byte) 7);
  }

  @Test
  void anEncodingHasAtMostTheMaximumLength() {
    EncodingBuffer out = new EncodingBuffer();
    out.putBytes(new byte[Encoder.MAX_LENGTH]);
    assertThat(out.length()).isEqualTo(Encoder.MAX_LENGTH);
    assertThatThrownBy(() -> out.putByte(0)).isInstanceOf(EncodingTooLongException.class);
    assertThat(out.length()).isEqualTo(Encoder.MAX_LENGTH);
    EncodingBuffer other = new EncodingBuffer();
    assertThatThrownBy(() -> other.putBytes(new byte[Encoder.MAX_LENGTH + 1]))
        .isInstanceOf(EncodingTooLongException.class);
    assertThat(other.length()).isZero();
  }

  @Test
  void anEmptiedEncoderKeepsAnOrdinaryArrayAndDropsALargeOne() {
    EncodingBuffer out = new EncodingBuffer();
    out.putBytes(new byte[1 << 16]);
    byte[] kept = out.array();
    out.clear();
    assertThat(out.length()).isZero();
    assertThat(out.array()).isSameAs(kept);
    out.putBytes(new byte[(1 << 16) + 1]);
    out.clear();
    assertThat(out.array()).hasSize(FIRST_CAPACITY);
  }

  @Test
  void paddingIsNotCountedAndReachesTheNextWordOnly() {
    for (int length = 0; length <= 16; length++) {
      EncodingBuffer out = new EncodingBuffer();
      Arrays.fill(out.array(), (byte) 0xAA);
      byte[] ones = new byte[length];
      Arrays.fill(ones, (byte) 1);
      out.putBytes(ones);
      out.padWord();
      int end = (length + 7) / 8 * 8;
      assertThat(out.length()).isEqualTo(length);
      assertThat(Arrays.copyOfRange(out.array(), length, end)).isEqualTo(new byte[end - length]);
      assertThat(out.array()[end]).isEqualTo((byte) 0xAA);
    }
  }

  @Test
  void paddingFromAnOffsetEndsAWordThatBeginsThere() {
    for (int length = 3; length <= 20; length++) {
      EncodingBuffer out = new EncodingBuffer();
      Arrays.fill(out.array(), (byte) 0xAA);
      byte[] ones = new byte[length];
      Arrays.fill(ones, (byte) 1);
      out.putBytes(ones);
      out.padFrom(3);
      int end = 3 + (length - 3 + 7) / 8 * 8;
      assertThat(out.length()).isEqualTo(length);
      assertThat(Arrays.copyOfRange(out.array(), length, end)).isEqualTo(new byte[end - length]);
      assertThat(out.array()[end]).isEqualTo((byte) 0xAA);
    }
  }

  @Test
  void paddingFindsRoomBehindAFullArray() {
    EncodingBuffer out = new EncodingBuffer();
    out.putBytes(new byte[FIRST_CAPACITY]);
    out.reserve(0);
    assertThat(out.array()).hasSize(FIRST_CAPACITY);
    out.reserve(1);
    assertThat(out.array()).hasSize(2 * FIRST_CAPACITY);
    EncodingBuffer odd = new EncodingBuffer();
    odd.putBytes(new byte[FIRST_CAPACITY - 1]);
    odd.reserve(FIRST_CAPACITY * 4);
    assertThat(odd.array()).hasSize(FIRST_CAPACITY - 1 + FIRST_CAPACITY * 4);
  }

  @Test
  void aWordIsPaddedInAnArrayOfAnyLength() {
    EncodingBuffer word = new EncodingBuffer();
    word.putBytes(new byte[1001]);
    word.padWord();
    assertThat(word.word(1000)).isZero();
    EncodingBuffer part = new EncodingBuffer();
    part.putBytes(new byte[1001]);
    part.padFrom(3);
    assertThat(part.word(995)).isZero();
  }

  @Test
  void numbersOfEachWidthComeBack() {
    EncodingBuffer out = new EncodingBuffer();
    out.putShort((short) 0x8001);
    out.putInt(0x80000001);
    out.putLong(0x8000_0000_0000_0001L);
    out.putBigEndianInt(0x01020304);
    out.putBigEndianLong(0x0102030405060708L);
    out.setInt(2, 0x7F000002);
    assertThat(HexFormat.of().formatHex(out.array(), 0, out.length()))
        .isEqualTo("01800200007f0100000000000080010203040102030405060708");
    assertThat(out.word(6)).isEqualTo(0x8000_0000_0000_0001L);
    assertThat(out.bigEndianWord(18)).isEqualTo(0x0102030405060708L);
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(out.array(), 0, out.length());
    assertThat(in.getShort()).isEqualTo((short) 0x8001);
    assertThat(in.getInt()).isEqualTo(0x7F000002);
    assertThat(in.getLong()).isEqualTo(0x8000_0000_0000_0001L);
    assertThat(in.getBigEndianInt()).isEqualTo(0x01020304);
    assertThat(in.peek()).isEqualTo(bytes("0102030405060708"));
    assertThat(in.getBigEndianLong()).isEqualTo(0x0102030405060708L);
    assertThat(in.remaining()).isZero();
  }

  // ---- Lengths and counts.

  @ParameterizedTest
  @CsvSource({
    "0, 00",
    "127, 7f",
    "128, 8001",
    "16383, ff7f",
    "16384, 808001",
    "2097151, ffff7f",
    "2097152, 80808001",
    "268435455, ffffff7f",
    "268435456, 8080808001",
    "2147483647, ffffffff07"
  })
  void aCountTakesOneByteForEachSevenBits(int count, String hex) {
    EncodingBuffer out = new EncodingBuffer();
    out.putVarint(count);
    assertThat(HexFormat.of().formatHex(out.array(), 0, out.length())).isEqualTo(hex);
    assertThat(decoder(hex).getVarint()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffffffff08", "808080808000", "808080808001", "ffffffff7f", "80", "ff"})
  void aCountThatIsTooLargeOrHasNoEndIsRefused(String hex) {
    assertThatThrownBy(() -> decoder(hex).getVarint()).isInstanceOf(CodecException.class);
  }

  @Test
  void aNegativeCountIsRefused() {
    assertThatThrownBy(() -> new EncodingBuffer().putVarint(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void aCountOfElementsIsHeldToTheBytesThatAreLeft() {
    assertThat(decoder("02" + "00000000").getCount(2)).isEqualTo(2);
    assertThatThrownBy(() -> decoder("03" + "00000000").getCount(2))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("3 elements")
        .hasMessageContaining("4 bytes");
  }

  /** What a list or map announces is held to the shortest elements that its codec has. */
  @Test
  void elementsAreAsShortAsTheirCodecAllows() {
    for (Codec<?> codec :
        List.of(
            Codecs.list(Codec.utf8()),
            Codecs.list(Codecs.list(Codec.utf8())),
            Codecs.list(Codec.bool()),
            Codecs.of(String[].class))) {
      assertThat(codec.decode(decoder("03" + "000000"))).as(codec.name()).isNotNull();
      assertThatThrownBy(() -> codec.decode(decoder("04" + "000000")))
          .as(codec.name())
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("4 elements are announced");
    }
    assertThatThrownBy(() -> Codecs.list(Codec.int64()).decode(decoder("02" + "00".repeat(15))))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("2 elements are announced");
    assertThatThrownBy(
            () -> Codecs.map(Codec.int64(), Codec.int32()).decode(decoder("02" + "00".repeat(23))))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("2 elements are announced");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 129, 16_383, 16_384, 70_000})
  void aPartWithALengthEndsWhereItsBytesEnd(int length) {
    Codec<Pair<byte[], Integer>> pair = Codecs.pair(Codec.bytes(), Codec.int32());
    byte[] content = new byte[length];
    Arrays.fill(content, (byte) 0x5A);
    Pair<byte[], Integer> back = CodecBytes.roundTrip(pair, new Pair<>(content, 42));
    assertThat(back.first()).isEqualTo(content);
    assertThat(back.second()).isEqualTo(42);
  }

  // ---- Bytes that are not there.

  @Test
  void exactlyTheBytesThatAreLeftAreHandedOut() {
    DecodingBuffer in = decoder("0102030405");
    assertThat(in.getBytes(2)).isEqualTo(bytes("0102"));
    Decoder slice = in.slice(2);
    assertThat(slice.remaining()).isEqualTo(2);
    assertThat(slice.getShort()).isEqualTo((short) 0x0403);
    assertThatThrownBy(slice::getByte)
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("1 bytes were asked for and 0 are left");
    assertThat(in.remaining()).isEqualTo(1);
    assertThatThrownBy(() -> in.getBytes(2)).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> in.getBytes(-1)).isInstanceOf(CodecException.class);
    assertThat(in.getByte()).isEqualTo((byte) 5);
  }

  @Test
  void aSliceDecodesInTheSameTransaction() {
    DecodingBuffer in = decoder("0102");
    Object transaction = new Object();
    in.attach(transaction);
    assertThat(in.slice(1).attachment()).isSameAs(transaction);
    assertThat(in.over(new byte[1]).attachment()).isSameAs(transaction);
  }

  // ---- Compression.

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 65, 1000, 100_000})
  void compressedBytesComeBackAtEveryLength(int length) {
    Codec<byte[]> codec = Codecs.compressed(Codec.bytes());
    byte[] value = new byte[length];
    byte[] encoded = CodecBytes.encode(codec, value);
    assertThat(CodecBytes.decode(codec, encoded)).isEqualTo(value);
    assertThat(encoded[0] == 0).as("stored plain").isEqualTo(length < 64);
  }

  @Test
  void whatDoesNotShrinkIsStoredPlain() {
    Codec<byte[]> codec = Codecs.compressed(Codec.bytes());
    byte[] random = new byte[500];
    new SplittableRandom(1).nextBytes(random);
    byte[] encoded = CodecBytes.encode(codec, random);
    assertThat(encoded).hasSize(501).startsWith(0);
    assertThat(CodecBytes.decode(codec, encoded)).isEqualTo(random);
  }

  @Test
  void damagedCompressionIsRefused() {
    Codec<byte[]> codec = Codecs.compressed(Codec.bytes());
    byte[] good = CodecBytes.encode(codec, new byte[100]);
    for (int length = 1; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> CodecBytes.decode(codec, cut)).isInstanceOf(CodecException.class);
    }
    for (int wrong : new int[] {99, 101}) {
      byte[] other = good.clone();
      other[0] = (byte) wrong;
      assertThatThrownBy(() -> CodecBytes.decode(codec, other))
          .as("a length of " + wrong)
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("cannot be expanded");
    }
    assertThatThrownBy(() -> CodecBytes.decode(codec, bytes("ffffff0763000000")))
        .as("a length that so few bytes cannot have")
        .isInstanceOf(CodecException.class);
  }

  @Test
  void theLongestValueMayBeCompressed() {
    Codec<byte[]> codec = Codecs.compressed(Codec.bytes());
    byte[] value = new byte[Encoder.MAX_LENGTH];
    assertThat(CodecBytes.roundTrip(codec, value)).isEqualTo(value);
  }

  // ---- Numbers.

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 8, 125, 126, 127, 128, 1000})
  void integersComeBackAndSortAroundEachLength(int length) {
    BigInteger most = BigInteger.ONE.shiftLeft(8 * length).subtract(BigInteger.ONE);
    BigInteger[] sorted = {
      most.add(BigInteger.ONE).negate(),
      most.negate(),
      most.negate().add(BigInteger.ONE),
      BigInteger.ONE.negate(),
      BigInteger.ZERO,
      BigInteger.ONE,
      most.subtract(BigInteger.ONE),
      most,
      most.add(BigInteger.ONE)
    };
    for (int i = 0; i < sorted.length; i++) {
      assertThat(CodecBytes.roundTrip(Numbers.BIG_INTEGER, sorted[i])).isEqualTo(sorted[i]);
      if (i > 0 && !sorted[i].equals(sorted[i - 1])) {
        assertThat(CodecBytes.compare(Numbers.BIG_INTEGER, sorted[i - 1], sorted[i]))
            .isEqualTo(sorted[i - 1].compareTo(sorted[i]));
      }
    }
  }

  @Test
  void thereIsNoNegativeZero() {
    assertThatThrownBy(() -> CodecBytes.decode(Numbers.BIG_INTEGER, bytes("7f")))
        .isInstanceOf(CodecException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 15, 16, 17, 18, 19, 20, 21})
  void decimalsOfEveryPrecisionComeBack(int digits) {
    for (String text :
        List.of("9".repeat(digits), "1" + "0".repeat(digits - 1), "12345678901234567890123")) {
      for (int scale : new int[] {0, 1, digits, -3, 40}) {
        BigInteger unscaled =
            new BigInteger(text.substring(0, Math.min(digits + 2, text.length())));
        for (BigInteger signed : List.of(unscaled, unscaled.negate())) {
          BigDecimal value = new BigDecimal(signed, scale);
          assertThat(CodecBytes.roundTrip(Numbers.DECIMAL, value)).isEqualTo(value);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -256, -255, 255, 256, 0x7FFFFFFF})
  void decimalsOfEveryScaleComeBack(int scale) {
    for (BigInteger unscaled : List.of(BigInteger.ZERO, BigInteger.ONE, BigInteger.TEN.negate())) {
      BigDecimal value = new BigDecimal(unscaled, scale);
      assertThat(CodecBytes.roundTrip(Numbers.DECIMAL, value)).isEqualTo(value);
    }
  }

  @Test
  void decimalsHaveALimitOfDigitsAndOneOfZeros() {
    BigDecimal digits = new BigDecimal("7".repeat(1 << 16));
    assertThat(CodecBytes.roundTrip(Numbers.DECIMAL, digits)).isEqualTo(digits);
    BigDecimal zeros = new BigDecimal("7" + "0".repeat(512));
    assertThat(CodecBytes.roundTrip(Numbers.DECIMAL, zeros)).isEqualTo(zeros);
    BigDecimal pair = new BigDecimal("77" + "0".repeat(512));
    assertThat(CodecBytes.roundTrip(Numbers.DECIMAL, pair)).isEqualTo(pair);
    assertThatThrownBy(
            () -> CodecBytes.encode(Numbers.DECIMAL, new BigDecimal("7".repeat((1 << 16) + 1))))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("65536 digits: 65537");
    assertThatThrownBy(
            () -> CodecBytes.encode(Numbers.DECIMAL, new BigDecimal("7" + "0".repeat(513))))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("512 zeros");
  }

  /** The exponent of a decimal has up to 7 bytes, and cannot be read as another number. */
  @Test
  void anExponentThatIsTooLongIsRefused() {
    String digit = "0b" + "00";
    assertThat(CodecBytes.decode(Numbers.DECIMAL, bytes("c0" + "7efe" + digit + "8102")))
        .isEqualTo(new BigDecimal("0.01"));
    assertThatThrownBy(
            () ->
                CodecBytes.decode(
                    Numbers.DECIMAL, bytes("c0" + "88" + "ff".repeat(8) + digit + "8102")))
        .isInstanceOf(CodecException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "1E+64, c08141, 0b00, 7ebf",
    "1E+126, c0817f, 0b00, 7e81",
    "1E+127, c08180, 0b00, 7e80",
    "1E+254, c081ff, 0b00, 7e01",
    "1E+255, c0820100, 0b00, 7e00",
    "1, c08101, 0b00, 80"
  })
  void theExponentAndTheScaleTakeAsFewBytesAsTheyNeed(
      BigDecimal value, String exponent, String digits, String scale) {
    assertThat(CodecBytes.hex(Numbers.DECIMAL, value)).isEqualTo(exponent + digits + scale);
  }

  @Test
  void integersOfUpTo126BytesHaveAShortLength() {
    BigInteger most = BigInteger.ONE.shiftLeft(8 * 126).subtract(BigInteger.ONE);
    assertThat(CodecBytes.hex(Numbers.BIG_INTEGER, most)).isEqualTo("fe" + "ff".repeat(126));
    assertThat(CodecBytes.hex(Numbers.BIG_INTEGER, most.add(BigInteger.ONE)))
        .isEqualTo("ff" + "0000007f" + "01" + "00".repeat(126));
  }

  @Test
  void aNumberInAKeyFindsItsOwnEnd() {
    assertThat(
            CodecBytes.hex(
                Codecs.pair(Numbers.BIG_INTEGER, Codec.int8()),
                new Pair<>(BigInteger.valueOf(256), (byte) 1)))
        .isEqualTo("820100" + "81");
  }

  // ---- Strings.

  @Test
  void aStringWithHalfASurrogatePairIsRefused() {
    String high = "\ud83d";
    String low = "\ude00";
    for (String text : List.of("", "?", "a?b", "é?", high + low, "?" + high + low + "a")) {
      assertThat(CodecBytes.roundTrip(Codec.utf8(), text)).isEqualTo(text);
    }
    for (String before : List.of("", "a", "é", high + low)) {
      for (String half : List.of(high, low, high + "a", low + high, high + high)) {
        assertThatThrownBy(() -> CodecBytes.encode(Codec.utf8(), before + half))
            .isInstanceOf(CodecException.class)
            .hasMessageContaining("at index " + before.length());
      }
    }
  }

  // ---- Values without bytes.

  record Nothing() {}

  record Holder(Nothing nothing, int number) {}

  @Test
  void whatHasNoBytesTakesNoneInARecordOrAKey() {
    assertThat(CodecBytes.hex(Codecs.of(Holder.class), new Holder(new Nothing(), 1)))
        .isEqualTo("80000001");
    assertThat(CodecBytes.hex(Codecs.ordered(Holder.class), new Holder(new Nothing(), 1)))
        .isEqualTo("80000001");
    assertThat(Codecs.of(Holder.class).fixedLength()).isEqualTo(4);
    OrderedCodec<Nothing> descending = Codecs.descending(Codecs.ordered(Nothing.class));
    assertThat(CodecBytes.encode(descending, new Nothing())).isEmpty();
    assertThat(CodecBytes.roundTrip(descending, new Nothing())).isEqualTo(new Nothing());
  }

  @Test
  void aPairOfCodecsWithALengthHasALength() {
    Codec<Long> number = Codec.int64();
    Codec<Nothing> nothing = Codecs.of(Nothing.class);
    Codec<String> text = Codec.utf8();
    assertThat(Codecs.pair(number, number).fixedLength()).isEqualTo(16);
    assertThat(Codecs.pair(nothing, number).fixedLength()).isEqualTo(8);
    assertThat(Codecs.pair(number, nothing).fixedLength()).isEqualTo(8);
    assertThat(Codecs.pair(number, text).fixedLength()).isEqualTo(Codec.VARIABLE);
    assertThat(Codecs.pair(text, number).fixedLength()).isEqualTo(Codec.VARIABLE);
    assertThat(CodecBytes.hex(Codecs.pair(text, number), new Pair<>("a", 1L)))
        .isEqualTo("0161" + "8000000000000001");
    assertThat(CodecBytes.roundTrip(Codecs.pair(text, number), new Pair<>("a", 1L)))
        .isEqualTo(new Pair<>("a", 1L));
    assertThat(Codecs.descending(Codec.int64()).fixedLength()).isEqualTo(8);
  }

  // ---- Names.

  /** A store compares names, so each says what the codec is made of. */
  @Test
  void theNameOfACodecSaysWhatItIsMadeOf() {
    assertThat(Codec.int16().name()).isEqualTo("int16");
    assertThat(Codecs.compressed(Codec.utf8()).name())
        .isEqualTo("compressed " + Codec.utf8().name());
    assertThat(Numbers.BIG_INTEGER.name()).isEqualTo("integer");
    assertThat(Numbers.DECIMAL.name()).isEqualTo("decimal");
    assertThat(Codecs.list(Codec.int64()).name()).contains("list").contains("int64");
    assertThat(Codecs.map(Codec.utf8(), Codec.int64()).name())
        .contains("map")
        .contains(Codec.utf8().name())
        .contains("int64");
    assertThat(Codecs.descending(Codec.int64()).name()).isEqualTo("descending int64");
    Codec<String> text = Codec.utf8();
    assertThat(Codecs.pair(text, Codec.int64()).name()).isEqualTo("pair of utf8 and int64");
    assertThat(Codecs.pair(Codec.utf8(), Codec.int64()).name())
        .isEqualTo("ordered pair of utf8 and int64");
    assertThat(Codecs.nullable(text).name()).isEqualTo("nullable utf8");
    assertThat(Codecs.nullable(Codec.utf8()).name()).isEqualTo("ordered nullable utf8");
    assertThat(
            Stream.of(
                    Codec.bytes(),
                    Codec.int8(),
                    Codec.bool(),
                    Codec.character(),
                    Codec.float32(),
                    Codec.float64(),
                    Codecs.instant(),
                    Codecs.duration(),
                    Codecs.localDate(),
                    Codecs.localTime(),
                    Codecs.localDateTime(),
                    Codecs.offsetDateTime(),
                    Codecs.zonedDateTime(),
                    Codecs.uuid())
                .map(Codec::name))
        .containsExactly(
            "bytes",
            "int8",
            "bool",
            "char16",
            "float32",
            "float64",
            "instant",
            "duration",
            "local date",
            "local time",
            "local date-time",
            "offset date-time",
            "zoned date-time",
            "uuid");
  }

  /** Half of their bits are random, so they take about half of their length. */
  @ParameterizedTest
  @ValueSource(ints = {10, 16, 20, 21, 22, 23, 24})
  void valuesThatCompressToHalfComeBackAtEveryLength(int log) {
    byte[] value = new byte[1 << log];
    new SplittableRandom(log).nextBytes(value);
    for (int i = 0; i < value.length; i++) {
      value[i] &= 0x0F;
    }
    Codec<byte[]> codec = Codecs.compressed(Codec.bytes());
    byte[] encoded = CodecBytes.encode(codec, value);
    assertThat(encoded.length).isBetween(value.length / 3, value.length * 3 / 4);
    assertThat(Arrays.equals(CodecBytes.decode(codec, encoded), value)).isTrue();
  }
}

package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that no codec has written, and that stand for far more than they are, are refused. */
final class FewBytesTest {

  /** Takes no bytes. */
  public record Nothing() {}

  private static byte[] bytes(EncodingBuffer out) {
    return out.toBytes();
  }

  /** A one, the exponent, and the scale 0. */
  private static byte[] powerOfTen(int exponent) {
    EncodingBuffer out = new EncodingBuffer();
    out.putByte(0xC0);
    Codecs.bigInteger().encode(BigInteger.valueOf(exponent + 1L), out);
    out.putByte(11);
    out.putByte(0);
    out.putByte(0x80);
    return bytes(out);
  }

  @Test
  void zerosAtTheEndOfADecimalAreFew() {
    BigDecimal most = BigDecimal.TEN.pow(512);
    assertThat(CodecBytes.decode(Codecs.decimal(), powerOfTen(512))).isEqualByComparingTo(most);
    assertThat(CodecBytes.roundTrip(Codecs.decimal(), most)).isEqualTo(most);
    for (int zeros : new int[] {513, 1 << 16, Integer.MAX_VALUE - 1}) {
      assertThatThrownBy(() -> CodecBytes.decode(Codecs.decimal(), powerOfTen(zeros)))
          .as("%d", zeros)
          .isInstanceOf(CodecException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 1000, Integer.MAX_VALUE})
  void elementsWithoutBytesAreNoMoreThanThereAreBytes(int count) {
    EncodingBuffer out = new EncodingBuffer();
    out.putVarint(count);
    out.putByte(0);
    Codec<Nothing> nothing = Codecs.ordered(Nothing.class);
    assertThat(nothing.fixedLength()).isZero();
    for (Codec<?> codec :
        List.of(
            Codecs.list(nothing),
            Codecs.set(nothing),
            Codecs.map(nothing, nothing),
            Codecs.of(Nothing[].class),
            Codecs.list(Codecs.list(nothing)))) {
      assertThatThrownBy(() -> CodecBytes.decode(codec, bytes(out)))
          .as(codec.name())
          .isInstanceOf(CodecException.class);
    }
  }

  @Test
  void elementsWithoutBytesComeBack() {
    Codec<Nothing> nothing = Codecs.ordered(Nothing.class);
    List<Nothing> list = Collections.nCopies(300, new Nothing());
    assertThat(CodecBytes.roundTrip(Codecs.list(nothing), list)).isEqualTo(list);
    assertThat(CodecBytes.encode(Codecs.list(nothing), list)).hasSize(302);
    assertThat(CodecBytes.roundTrip(Codecs.set(nothing), Set.of(new Nothing()))).hasSize(1);
    Map<Long, Nothing> map = Map.of(1L, new Nothing(), 2L, new Nothing());
    assertThat(CodecBytes.roundTrip(Codecs.map(Codec.int64(), nothing), map)).isEqualTo(map);
  }

  /** Each of them is within its own limit. */
  @Test
  void compressedPartsDoNotExpandToMoreThanAValueMayHold() {
    EncryptionKeys keys =
        new EncryptionKeys() {
          @Override
          public int current() {
            return 1;
          }

          @Override
          public SecretKey key(int number) {
            return new SecretKeySpec(new byte[16], "AES");
          }
        };
    byte[] plain = new byte[Encoder.MAX_LENGTH];
    int many = EncodingBuffer.MAX_EXPANDED / Encoder.MAX_LENGTH + 1;
    for (Codec<byte[]> part :
        List.of(
            Codecs.compressed(Codec.bytes()),
            Codecs.encrypted(Codecs.compressed(Codec.bytes()), keys))) {
      Codec<List<byte[]>> list = Codecs.list(part);
      assertThatThrownBy(() -> CodecBytes.encode(list, Collections.nCopies(many, plain)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("67,108,864");
      byte[] one = CodecBytes.encode(list, List.of(plain));
      EncodingBuffer out = new EncodingBuffer();
      out.putVarint(many);
      for (int i = 0; i < many; i++) {
        out.putBytes(one, 1, one.length - 1); // without the count
      }
      assertThatThrownBy(() -> CodecBytes.decode(list, bytes(out)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("67,108,864");
    }
  }

  /** The bytes of the list itself are beyond what its parts may expand to. */
  @Test
  void partsOfACompressedValueCountAsMuchAsTheirValue() {
    Codec<byte[]> part = Codecs.compressed(Codec.bytes());
    byte[] plain = new byte[Encoder.MAX_LENGTH];
    List<byte[]> parts =
        Collections.nCopies(EncodingBuffer.MAX_EXPANDED / Encoder.MAX_LENGTH, plain);
    assertThat(CodecBytes.encode(Codecs.list(part), parts)).isNotEmpty();
    Codec<List<byte[]>> compressed = Codecs.compressed(Codecs.list(part));
    assertThat(CodecBytes.encode(compressed, parts.subList(1, parts.size()))[0])
        .as("the length of plain bytes")
        .isNotZero();
    assertThatThrownBy(() -> CodecBytes.encode(compressed, parts))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("67,108,864");
  }

  @Test
  void partsOfAValueThatIsStoredPlainCount() {
    Codec<byte[]> part = Codecs.compressed(Codecs.compressed(Codec.bytes()));
    byte[] plain = new byte[1 << 13];
    assertThat(CodecBytes.encode(part, plain)[0]).as("the mark of plain bytes").isZero();
    Codec<List<byte[]>> list = Codecs.list(part);
    int most = EncodingBuffer.MAX_EXPANDED / plain.length;
    assertThat(CodecBytes.roundTrip(list, Collections.nCopies(most, plain))).hasSize(most);
    assertThatThrownBy(() -> CodecBytes.encode(list, Collections.nCopies(most + 1, plain)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("67,108,864");
  }

  /** Frames values of another codec, as a codec of a program does. */
  private record Framed(Codec<byte[]> part) implements Codec<List<byte[]>> {

    @Override
    public String name() {
      return "framed " + part.name();
    }

    @Override
    public void encode(List<byte[]> value, Encoder out) {
      out.putVarint(value.size());
      for (byte[] each : value) {
        byte[] bytes = Codecs.encode(part, each);
        out.putVarint(bytes.length);
        out.putBytes(bytes);
      }
    }

    @Override
    public List<byte[]> decode(Decoder in) {
      List<byte[]> value = new ArrayList<>();
      for (int left = in.getVarint(); left > 0; left--) {
        value.add(part.decode(in.slice(in.getVarint())));
      }
      return value;
    }
  }

  @Test
  void partsThatAreReadFromSlicesCount() {
    Codec<List<byte[]>> codec = new Framed(Codecs.compressed(Codec.bytes()));
    byte[] plain = new byte[Encoder.MAX_LENGTH];
    int most = EncodingBuffer.MAX_EXPANDED / Encoder.MAX_LENGTH;
    assertThat(CodecBytes.roundTrip(codec, Collections.nCopies(most, plain))).hasSize(most);
    byte[] more = CodecBytes.encode(codec, Collections.nCopies(most + 1, plain));
    assertThatThrownBy(() -> CodecBytes.decode(codec, more))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("67,108,864");
  }

  @Test
  void valuesOneAfterTheOtherDoNotAddUp() {
    Codec<byte[]> codec = Codecs.compressed(Codec.bytes());
    byte[] plain = new byte[Encoder.MAX_LENGTH];
    EncodingBuffer out = new EncodingBuffer();
    DecodingBuffer in = new DecodingBuffer();
    for (int i = 0; i <= EncodingBuffer.MAX_EXPANDED / Encoder.MAX_LENGTH; i++) {
      out.clear();
      codec.encode(plain, out);
      in.wrap(out.array(), 0, out.length());
      assertThat(codec.decode(in)).hasSize(plain.length);
    }
  }
}

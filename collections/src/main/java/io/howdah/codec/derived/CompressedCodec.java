package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Values whose bytes are compressed by Deflate (RFC 1951): the length of the plain bytes, then
 * theirs; a length of 0, then the plain bytes themselves, where compression would save nothing.
 */
record CompressedCodec<T>(Codec<T> codec) implements Codec<T> {

  /** Deflate makes no more bytes of one; so a length beyond that is damage. */
  private static final int MAX_RATIO = 1032;

  private static final int MIN_LENGTH = 64;

  @Override
  public String name() {
    return "compressed " + codec.name();
  }

  @Override
  public Codec<T> bind(Shapes shapes) {
    if (shapes.isForKeys()) {
      throw new CodecException(
          name() + " cannot be a key: another version of Java may compress to other bytes");
    }
    return new CompressedCodec<>(codec.bind(shapes));
  }

  @Override
  public void encode(T value, Encoder out) {
    EncodingBuffer plain = new EncodingBuffer();
    codec.encode(value, plain);
    int length = plain.length();
    if (length >= MIN_LENGTH) {
      byte[] packed = new byte[length];
      Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
      try {
        deflater.setInput(plain.array(), 0, length);
        deflater.finish();
        int count = deflater.deflate(packed);
        if (deflater.finished() && count < length) {
          EncodingBuffer.of(out).addExpanded(length + plain.expanded());
          out.putVarint(length);
          out.putBytes(packed, 0, count);
          return;
        }
      } finally {
        deflater.end();
      }
    }
    EncodingBuffer.of(out).addExpanded(plain.expanded());
    out.putVarint(0);
    out.putBytes(plain.array(), 0, length);
  }

  @Override
  public T decode(Decoder in) {
    int length = in.getVarint();
    if (length == 0) {
      return codec.decode(in);
    }
    byte[] packed = in.getBytes(in.remaining());
    if (length > Encoder.MAX_LENGTH || length > (long) packed.length * MAX_RATIO) {
      throw damaged(null);
    }
    DecodingBuffer buffer = DecodingBuffer.of(in);
    buffer.addExpanded(length);
    byte[] plain = new byte[length];
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(packed);
      if (inflater.inflate(plain) != length || !isAtEnd(inflater)) {
        throw damaged(null);
      }
    } catch (DataFormatException e) {
      throw damaged(e);
    } finally {
      inflater.end();
    }
    return codec.decode(buffer.over(plain));
  }

  private static boolean isAtEnd(Inflater inflater) throws DataFormatException {
    return inflater.finished() || (inflater.inflate(new byte[1]) == 0 && inflater.finished());
  }

  private CodecException damaged(@Nullable Throwable cause) {
    return new CodecException(
        name() + " cannot be expanded: the bytes were written by another codec, or are damaged",
        cause);
  }
}

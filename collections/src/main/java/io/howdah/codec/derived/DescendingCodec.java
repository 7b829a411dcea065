package io.howdah.codec.derived;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;

/** The other order: the complement of each byte, with an end that is a part of it. */
record DescendingCodec<T>(OrderedCodec<T> codec) implements Part.OrderedSelfDelimiting<T> {

  @Override
  public String name() {
    return "descending " + codec.name();
  }

  @Override
  public int fixedLength() {
    return codec.fixedLength();
  }

  @Override
  public OrderedCodec<T> bind(Shapes shapes) {
    return new DescendingCodec<>(codec.bind(shapes));
  }

  @Override
  public void encode(T value, Encoder out) {
    EncodingBuffer buffer = EncodingBuffer.of(out);
    int at = buffer.length();
    codec.encode(value, out);
    if (codec.fixedLength() < 0) {
      buffer.escapeFrom(at);
    }
    buffer.complementFrom(at);
  }

  @Override
  public T decode(Decoder in) {
    if (codec.fixedLength() < 0) {
      DecodingBuffer plain = DecodingBuffer.of(in).unescaped(true);
      T value = codec.decode(plain);
      if (codec.isSelfDelimiting()) {
        Part.requireEnd(plain, codec);
      }
      return value;
    }
    byte[] bytes = in.getBytes(codec.fixedLength());
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
    return codec.decode(DecodingBuffer.of(in).over(bytes));
  }
}

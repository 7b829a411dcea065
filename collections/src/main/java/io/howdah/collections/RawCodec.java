package io.howdah.collections;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.structure.PlainCodec;

/**
 * Bytes as they are, those that any codec has made.
 *
 * @param fixedLength that of all values, or {@link #VARIABLE}
 */
record RawCodec(int fixedLength) implements OrderedCodec<byte[]>, PlainCodec {

  @Override
  public String name() {
    return "raw";
  }

  @Override
  public void encode(byte[] value, Encoder out) {
    out.putBytes(value);
  }

  @Override
  public byte[] decode(Decoder in) {
    return in.getBytes(in.remaining());
  }
}

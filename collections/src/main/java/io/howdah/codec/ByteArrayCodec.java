package io.howdah.codec;

/** Byte arrays, as they are. */
final class ByteArrayCodec implements OrderedCodec<byte[]> {

  static final ByteArrayCodec INSTANCE = new ByteArrayCodec();

  private ByteArrayCodec() {}

  @Override
  public String name() {
    return "bytes";
  }

  @Override
  public void encode(byte[] value, Encoder out) {
    out.putBytes(value, 0, value.length);
  }

  @Override
  public byte[] decode(Decoder in) {
    return in.getBytes(in.remaining());
  }
}

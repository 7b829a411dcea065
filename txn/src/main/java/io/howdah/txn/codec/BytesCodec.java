package io.howdah.txn.codec;

/** Byte arrays, as they are. */
final class BytesCodec implements OrderedCodec<byte[]> {

  static final OrderedCodec<byte[]> INSTANCE = new BytesCodec();

  private BytesCodec() {}

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

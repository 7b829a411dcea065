package io.howdah.codec;

/** The codec of 4-byte integers, apart from the others because every map uses it for lengths. */
final class Int32Codec implements OrderedCodec<Integer> {

  static final Int32Codec INSTANCE = new Int32Codec();

  private Int32Codec() {}

  @Override
  public String name() {
    return "int32";
  }

  @Override
  public int fixedLength() {
    return Integer.BYTES;
  }

  @Override
  public void encode(Integer value, Encoder out) {
    out.putBigEndianInt(value ^ Integer.MIN_VALUE);
  }

  @Override
  public Integer decode(Decoder in) {
    return in.getBigEndianInt() ^ Integer.MIN_VALUE;
  }
}

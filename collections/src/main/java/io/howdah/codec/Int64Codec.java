package io.howdah.codec;

/**
 * The most frequent codec, in a class of its own so that calls of it can be inlined, and so that a
 * program that uses it does not load the others.
 */
final class Int64Codec implements OrderedCodec<Long> {

  static final Int64Codec INSTANCE = new Int64Codec();

  private Int64Codec() {}

  @Override
  public String name() {
    return "int64";
  }

  @Override
  public int fixedLength() {
    return Long.BYTES;
  }

  @Override
  public void encode(Long value, Encoder out) {
    out.putBigEndianLong(value ^ Long.MIN_VALUE);
  }

  @Override
  public Long decode(Decoder in) {
    return in.getBigEndianLong() ^ Long.MIN_VALUE;
  }
}

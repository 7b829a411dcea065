package io.howdah.codec;

/** Strings as UTF-8. Its bytes have the order of code points. */
final class Utf8Codec implements OrderedCodec<String> {

  static final OrderedCodec<String> INSTANCE = new Utf8Codec();

  private Utf8Codec() {}

  @Override
  public String name() {
    return "utf8";
  }

  @Override
  public void encode(String value, Encoder out) {
    out.putUtf8(value);
  }

  @Override
  public String decode(Decoder in) {
    return in.getUtf8(in.remaining());
  }
}

package io.howdah.codec;

import org.jspecify.annotations.Nullable;

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
  public void encodePrefix(Encoder out, @Nullable Object... parts) {
    if (parts.length != 1 || !(parts[0] instanceof String beginning)) {
      throw new CodecException(
          "a string begins with one string, not with " + Prefix.of(parts).types());
    }
    out.putUtf8(beginning);
  }

  @Override
  public String decode(Decoder in) {
    return in.getUtf8(in.remaining());
  }
}

package io.howdah.codec;

/** The first parts of keys. */
final class Prefixes {

  private Prefixes() {}

  /** Appends the first parts of a key that has several. */
  @SuppressWarnings("unchecked") // a part of another class is refused by the codec's cast
  static void encode(Codec<?> codec, Part<?>[] parts, Encoder out, Object... values) {
    require(codec, values, parts.length);
    for (int i = 0; i < values.length; i++) {
      try {
        ((Part<Object>) parts[i]).encode(values[i], out);
      } catch (ClassCastException e) {
        throw new CodecException(
            parts[i].where()
                + " has another type than "
                + values[i].getClass().getName()
                + "; the parts of a prefix are those of the key, in their order",
            e);
      }
    }
  }

  static void require(Codec<?> codec, Object[] values, int max) {
    if (values.length == 0 || values.length > max) {
      throw new CodecException(
          "a key of "
              + codec.name()
              + " begins with 1 to "
              + max
              + " parts, not with "
              + values.length);
    }
  }
}

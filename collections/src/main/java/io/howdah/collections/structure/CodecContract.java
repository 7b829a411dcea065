package io.howdah.collections.structure;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;

/** Binds codecs of programs to a store, and checks the contract of {@link Codec}. */
public final class CodecContract {

  private static final int MAX_NAME = 1000;
  private static final int MAX_FIXED_LENGTH = 1 << 20;

  private CodecContract() {}

  /**
   * Returns a codec as it works in one store.
   *
   * @throws CodecException if its name or its length is none that a codec may have
   */
  public static <T> Codec<T> bind(Codec<T> codec, Shapes shapes) {
    return require(codec.bind(shapes));
  }

  /** Does the same for a codec whose values have an order. */
  public static <T> OrderedCodec<T> bind(OrderedCodec<T> codec, Shapes shapes) {
    return require(codec.bind(shapes));
  }

  private static <C extends Codec<?>> C require(C codec) {
    String name = codec.name();
    if (name == null || name.isEmpty() || name.length() > MAX_NAME) {
      throw new CodecException(
          "the name of codec "
              + codec.getClass().getName()
              + (name == null ? " is null" : " has " + name.length() + " characters")
              + "; it has 1 to "
              + MAX_NAME);
    }
    int length = codec.fixedLength();
    if (length != Codec.VARIABLE && (length < 0 || length > MAX_FIXED_LENGTH)) {
      throw new CodecException(
          "codec "
              + name
              + " says that its values have "
              + length
              + " bytes; they have 0 to "
              + MAX_FIXED_LENGTH
              + ", or Codec.VARIABLE");
    }
    return codec;
  }
}

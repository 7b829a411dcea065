package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.CodecRegistry;

/** The codecs of collections that are opened by classes. Its refusals name the collection. */
final class DerivedCodecs {

  private final CodecRegistry registry;

  DerivedCodecs(CodecRegistry registry) {
    this.registry = registry;
  }

  /**
   * Returns the codec of a class.
   *
   * @param name of the collection
   * @param role what it is for, as "values"
   */
  <T> Codec<T> of(String name, String role, Class<T> type) {
    try {
      return registry.of(type);
    } catch (CodecException e) {
      throw unsuitable(name, role, type, e);
    }
  }

  /** Returns the codec of a class whose values have an order; see {@link #of}. */
  <T> OrderedCodec<T> ordered(String name, String role, Class<T> type) {
    try {
      return registry.ordered(type);
    } catch (CodecException e) {
      throw unsuitable(name, role, type, e);
    }
  }

  private static CodecException unsuitable(
      String name, String role, Class<?> type, CodecException cause) {
    return new CodecException(
        "the "
            + role
            + " of \""
            + name
            + "\" cannot be "
            + type.getTypeName()
            + ": "
            + cause.getMessage()
            + (type.isInterface()
                ? "; if it is a @Persistent interface, pass Store.type(...).codec()"
                : ""),
        cause);
  }
}

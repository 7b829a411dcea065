package io.howdah.cli.value;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * An encoding of the store and its values as JSON trees: strings, booleans, numbers, null, lists
 * and maps. Immutable.
 */
interface ValueForm {

  /** Returns the name of the codec. */
  String name();

  /** Returns the length of every value in bytes, or {@link io.howdah.codec.Codec#VARIABLE}. */
  int fixedLength();

  /** Returns whether the bytes of a value tell where they end. */
  boolean isSelfDelimiting();

  /**
   * Appends a value's bytes.
   *
   * @throws ValueException if the tree is no value of this encoding
   */
  void encode(@Nullable Object tree, Encoder out);

  /** Returns the value of the bytes that {@code in} has left. */
  @Nullable Object decode(Decoder in);
}

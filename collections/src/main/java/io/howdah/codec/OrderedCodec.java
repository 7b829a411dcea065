package io.howdah.codec;

/**
 * A codec whose bytes, compared unsigned and one by one with the shorter first, have the values'
 * order: what sorted collections ask of their keys.
 *
 * @param <T> the values
 */
public interface OrderedCodec<T> extends Codec<T> {

  @Override
  default OrderedCodec<T> bind(Shapes shapes) {
    return this;
  }

  /**
   * Returns whether {@link #decode} takes exactly the bytes of its value, whatever follows them,
   * and no value's bytes are the beginning of another's. As a part of an ordered pair or record,
   * such a codec needs no end after its bytes. The answer is a part of the format, like {@link
   * #name}: it never changes.
   */
  default boolean isSelfDelimiting() {
    return false;
  }

  /**
   * Appends the bytes with which the encodings of all values begin that have these first parts, and
   * those of no others: the first components of a record or a pair, or the beginning of a string or
   * of an array of bytes.
   *
   * @param parts at least one
   * @throws CodecException if the values have no such parts
   */
  default void encodePrefix(Encoder out, Object... parts) {
    throw new CodecException(
        name() + " has no parts to search by; records, pairs, strings and bytes have");
  }
}

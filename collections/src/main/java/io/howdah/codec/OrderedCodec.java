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

package io.howdah.core.layout;

/**
 * The blocks that hold keys, values and elements as their codecs encode them. Little-endian; the
 * bytes behind the last one, up to a multiple of 8, have any contents.
 *
 * <pre>
 *        0              4              8
 *
 *  entry of a map or a set whose keys differ in length, and of a sorted map whose keys are not all
 *  8 bytes long
 *    0 | keyLength    | valueLength  |
 *    8 | key ...                     |  then the value
 *
 *  entry of a map or a set whose keys have one length
 *    0 | key ...                     |  then 4 bytes with the value's length, if lengths differ;
 *                                       then the value
 *
 *  key of an inner node of a sorted map, if the node's word does not hold all of it
 *    0 | keyLength    | reserved = 0 |
 *    8 | key ...                     |
 *
 *  value of a sorted map whose keys are all 8 bytes long; element of a list; string or byte array
 *  of an object
 *    0 | length       | bytes ...    |
 * </pre>
 *
 * <p>The first 4 bytes of a value, and so on, need not be aligned: they follow the key directly.
 */
public final class EntryLayout {

  /** Offset of the key's length, if keys differ in length. */
  public static final int KEY_LENGTH_OFFSET = 0;

  /** Offset of the value's length, if keys differ in length. */
  public static final int VALUE_LENGTH_OFFSET = KEY_LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the key, if keys differ in length. */
  public static final int KEY_OFFSET = VALUE_LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the key, if keys have one length. */
  public static final int FIXED_KEY_OFFSET = 0;

  /** Offset of the length of a value, element, string or byte array without a key. */
  public static final int LENGTH_OFFSET = 0;

  /** Offset of the bytes behind that length. */
  public static final int BYTES_OFFSET = LENGTH_OFFSET + Integer.BYTES;

  private EntryLayout() {}

  /** Returns the key's length in the first word of an entry; not verified. */
  public static int keyLength(long firstWord) {
    return (int) firstWord;
  }

  /** Returns the value's length in the first word of an entry; not verified. */
  public static int valueLength(long firstWord) {
    return (int) (firstWord >>> Integer.SIZE);
  }

  /** Returns the length in the first word of a block without a key; not verified. */
  public static int length(long firstWord) {
    return (int) firstWord;
  }
}

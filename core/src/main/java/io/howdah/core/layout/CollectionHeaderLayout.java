package io.howdah.core.layout;

/**
 * The words that the header of every collection begins with. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  the kind of collection
 *    8 | incarnation                 |  a random number, 0 = dropped
 *   16 | keyLength    | valueLength  |  of every key and value, in bytes; -1 = lengths differ
 *      +--------------+--------------+
 * </pre>
 *
 * <p>The incarnation tells a collection from another one that was at this address before. A set has
 * values of length 0. Lists and queues have elements in place of values, and 0 as the length of
 * keys; counters and blobs have neither.
 */
public final class CollectionHeaderLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the incarnation. */
  public static final int INCARNATION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the word with both lengths. */
  public static final int LENGTHS_OFFSET = INCARNATION_OFFSET + Long.BYTES;

  /** Bytes of these words; what the kind of collection adds follows. */
  public static final int HEADER_LENGTH = LENGTHS_OFFSET + Long.BYTES;

  /** In place of a length: lengths differ. */
  public static final int VARIABLE = -1;

  private CollectionHeaderLayout() {}

  /** Packs the two lengths. */
  public static long lengths(int keyLength, int valueLength) {
    return Integer.toUnsignedLong(keyLength) | (long) valueLength << Integer.SIZE;
  }

  /** Returns the length of every key, or {@link #VARIABLE}. */
  public static int keyLength(long lengths) {
    return (int) lengths;
  }

  /** Returns the length of every value or element, or {@link #VARIABLE}. */
  public static int valueLength(long lengths) {
    return (int) (lengths >>> Integer.SIZE);
  }
}

package io.howdah.core.layout;

/**
 * A node: 1, 2 or 4 KiB of a region, aligned to its length, that one ownership record guards. A
 * word that leads to a node has its reference: the address, and in its low bits a size code (0: 1
 * KiB, 1: 2 KiB, 2: 4 KiB). The reference 0 leads to no node. From its second word on, a node has
 * what the structure keeps in it.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | head         |  {@link #DEAD} in a node that was freed, else any other value
 *      +--------------+
 * </pre>
 */
public final class NodeLayout {

  /** Bytes of the shortest node. */
  public static final int MIN_BYTES = 1024;

  /** Bytes of the longest node. */
  public static final int MAX_BYTES = 4096;

  /** Words of the longest node. */
  public static final int MAX_WORDS = MAX_BYTES / Long.BYTES;

  /** Number of lengths that a node may have. */
  public static final int SIZES = 3;

  /** The first word of a node that was freed. */
  public static final long DEAD = 0;

  private static final int MIN_SHIFT = 10;
  private static final int CODE_MASK = 3;

  private NodeLayout() {}

  /**
   * Returns the reference of a node.
   *
   * @param bytes 1024, 2048 or 4096
   */
  public static long reference(long address, int bytes) {
    return address | code(bytes);
  }

  /** Returns the size code of a length in bytes, which must be possible. */
  public static int code(int bytes) {
    if (bytes != MIN_BYTES && bytes != 2 * MIN_BYTES && bytes != MAX_BYTES) {
      throw new IllegalArgumentException("a node has 1024, 2048 or 4096 bytes, not " + bytes);
    }
    return Integer.numberOfTrailingZeros(bytes) - MIN_SHIFT;
  }

  /** Returns the number of bytes of a node with a size code. */
  public static int bytesOf(int code) {
    return MIN_BYTES << code;
  }

  /** Returns the address of the node of a reference; unchecked. */
  public static long address(long reference) {
    return reference & -MIN_BYTES;
  }

  /** Returns the size code of a reference; unchecked, 0 to 3. */
  public static int code(long reference) {
    return (int) reference & CODE_MASK;
  }

  /** Returns the number of bytes of the node of a reference; unchecked. */
  public static int bytes(long reference) {
    return MIN_BYTES << (reference & CODE_MASK);
  }

  /** Returns the number of words of the node of a reference; unchecked. */
  public static int words(long reference) {
    return (MIN_BYTES / Long.BYTES) << (reference & CODE_MASK);
  }

  /** Returns whether a node could be where a reference says, in a region of this length. */
  public static boolean isPossible(long reference, long capacityBytes) {
    long address = address(reference);
    return address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address <= capacityBytes - bytes(reference)
        && ((reference ^ address) & -(CODE_MASK + 1L)) == 0
        && (reference & CODE_MASK) < SIZES
        && (address & (bytes(reference) - 1L)) == 0;
  }
}

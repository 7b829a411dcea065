package io.howdah.core.layout;

/**
 * A block of the region, as the size-class allocator cuts them. Ordinary transactional words,
 * little-endian.
 *
 * <pre>
 *        0              4      5      6      8
 *      +--------------+------+------+------+
 *    0 | tag          | class| state| zero |  tag: from the block's own address; state: 1 in use, 2 free
 *    8 | payload ...                       |  of a free block: address of the next free one, 0 = none
 *      +-----------------------------------+
 * </pre>
 *
 * Blocks stand 8 bytes past a multiple of 16, so that payloads are at multiples of 16. A block's
 * length follows from its class. The address that everybody uses is the payload's.
 */
public final class BlockLayout {

  /** Distance from the header back from the payload. */
  public static final int HEADER_LENGTH = Long.BYTES;

  /** What a block's length and a payload's address are multiples of. */
  public static final int ALIGNMENT = 16;

  /** Address of the first payload of a region. */
  public static final int FIRST_PAYLOAD_ADDRESS = RegionHeaderLayout.BLOCKS_ADDRESS + ALIGNMENT;

  /** The allocator's top in a region without blocks: where the first header will stand. */
  public static final int FIRST_TOP = FIRST_PAYLOAD_ADDRESS - HEADER_LENGTH;

  /** State of a block that an application holds. */
  public static final int IN_USE = 1;

  /** State of a block in a free list. */
  public static final int FREE = 2;

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private BlockLayout() {}

  /** Returns the header of a block. */
  public static long header(long payloadAddress, int sizeClass, int state) {
    return tag(payloadAddress) | (long) sizeClass << 32 | (long) state << 40;
  }

  /** Returns the class in a header that {@link #hasTag}; unchecked, 0 to 255. */
  public static int sizeClass(long header) {
    return (int) (header >>> 32) & 0xFF;
  }

  /** Returns whether a word may be the header of the block with this payload. */
  public static boolean hasTag(long header, long payloadAddress) {
    return (header & 0xFFFF_FFFFL) == tag(payloadAddress) && header >>> 48 == 0;
  }

  private static long tag(long payloadAddress) {
    return (payloadAddress * GOLDEN) >>> 32;
  }
}

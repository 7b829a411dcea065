package io.howdah.core.layout;

/**
 * A queue in the region: a list of segments with slots. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDQUEUE"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | reserved = 0 |
 *   64 | headSegment  |  address of the segment from which elements are taken
 *   72 | taken        |  how many elements were ever taken
 *   80 | reserved = 0 |
 *  128 | tailSegment  |  address of the segment to which elements are added
 *  136 | added        |  how many elements were ever added
 *  144 | reserved = 0 |
 *  192
 *
 *  segment
 *    0 | next         |  address of the next segment, 0 = none
 *    8 | reserved = 0 |
 *   32 | slots ...    |  31 of 32 bytes
 * 1024
 *
 *  slot
 *    0 | length       |  length of the element + 1, 0 = empty
 *    8 | element ...  |  up to 24 bytes, or the address of a block with the bytes of a longer one
 * </pre>
 *
 * <p>Element n is in slot n modulo 31. Consumers change the head, producers the tail, which is a
 * cache line away: so they do not conflict.
 */
public final class QueueLayout {

  /** "HWDQUEUE" read as a little-endian word. */
  public static final long MAGIC = 0x4555_4555_5144_5748L;

  /** Offset of the address of the segment from which elements are taken. */
  public static final int HEAD_SEGMENT_OFFSET = 64;

  /** Offset of the number of elements that were ever taken. */
  public static final int TAKEN_OFFSET = HEAD_SEGMENT_OFFSET + Long.BYTES;

  /** Offset of the address of the segment to which elements are added. */
  public static final int TAIL_SEGMENT_OFFSET = 128;

  /** Offset of the number of elements that were ever added. */
  public static final int ADDED_OFFSET = TAIL_SEGMENT_OFFSET + Long.BYTES;

  /** Bytes of a queue without its segments. */
  public static final int LENGTH = 192;

  /** Offset of the address of the next segment in a segment. */
  public static final int NEXT_OFFSET = 0;

  /** Offset of the first slot in a segment. */
  public static final int SLOTS_OFFSET = 32;

  /** Slots of a segment. */
  public static final int SLOTS = 31;

  /** Bytes of a slot. */
  public static final int SLOT_BYTES = 32;

  /** Bytes of a segment. */
  public static final int SEGMENT_BYTES = SLOTS_OFFSET + SLOTS * SLOT_BYTES;

  /** Offset of the element's length + 1 in a slot. */
  public static final int ELEMENT_LENGTH_OFFSET = 0;

  /** Offset of the element, or of the address of its block, in a slot. */
  public static final int ELEMENT_OFFSET = ELEMENT_LENGTH_OFFSET + Long.BYTES;

  /** Maximum length of an element in a slot; a longer one has a block. */
  public static final int MAX_INLINE_BYTES = SLOT_BYTES - ELEMENT_OFFSET;

  private QueueLayout() {}

  /** Returns the offset in its segment of the slot of an element. */
  public static long slotOffset(long element) {
    return SLOTS_OFFSET + element % SLOTS * SLOT_BYTES;
  }

  /** Returns whether an element is in another segment than the one before it. */
  public static boolean startsSegment(long element) {
    return element != 0 && element % SLOTS == 0;
  }
}

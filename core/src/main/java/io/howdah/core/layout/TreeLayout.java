package io.howdah.core.layout;

/**
 * A B+-tree in the region, behind sorted maps, the catalogue and the types. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+  tree
 *    0 | magic        |  "HWDBTRE2"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | root         |  reference of a node; bits 2 to 9 have the number of levels of inner nodes
 *   32 | position     |  of an index that is being built, how far: see PersistentMap.walk; of a
 *                        change journal, the number of the newest change; else 0
 *   40 | buildKey     |  the same over a sorted map: address of a block with its last key in the
 *                        index: its length in 8 bytes, then the key; 0 = none
 *   48 | kept         |  of a change journal, how many changes it keeps; else 0
 *   56 | held         |  of a change journal that holds writers back, for how many nanoseconds at
 *                        most; else 0
 *   64 | counters ... |  16 words, each 64 bytes from the next: their sum is the number of entries
 *   72 | lost         |  of a change journal: changes up to this number are lost, because the region
 *                        was full; some of them may still be in the tree. Else 0
 *  136 | released     |  of a change journal, up to which number readers have used its changes; else
 *                        0. On the line of another counter: appends do not read it on their way
 * </pre>
 *
 * <p>{@link TreeNodeLayout} describes the nodes.
 */
public final class TreeLayout {

  /** "HWDBTRE2" read as a little-endian word. */
  public static final long MAGIC = 0x3245_5254_4244_5748L;

  /** Offset of the word with the root and the height. */
  public static final int ROOT_OFFSET = CollectionHeaderLayout.HEADER_LENGTH;

  /** Offset of the position of an index that is being built, or of a change journal. */
  public static final int POSITION_OFFSET = ROOT_OFFSET + Long.BYTES;

  /** Offset of the address of the key behind which the building of an index goes on. */
  public static final int BUILD_KEY_OFFSET = POSITION_OFFSET + Long.BYTES;

  /** Offset of the number of changes that a change journal keeps. */
  public static final int KEPT_OFFSET = BUILD_KEY_OFFSET + Long.BYTES;

  /** Offset of the time for which a change journal holds writers back. */
  public static final int HELD_OFFSET = KEPT_OFFSET + Long.BYTES;

  /** Offset of the first counter. */
  public static final int COUNTERS_OFFSET = 64;

  /** How many words the number of entries is spread over. */
  public static final int COUNTERS = 16;

  /** Bytes from one counter to the next. */
  public static final int COUNTER_BYTES = 64;

  /** Offset of the number of the newest change that a change journal has lost for want of room. */
  public static final int LOST_OFFSET = COUNTERS_OFFSET + Long.BYTES;

  /** Offset of the number up to which readers of a change journal have used its changes. */
  public static final int RELEASED_OFFSET = COUNTERS_OFFSET + COUNTER_BYTES + Long.BYTES;

  /** Bytes of a tree without its nodes. */
  public static final int LENGTH = COUNTERS_OFFSET + COUNTERS * COUNTER_BYTES;

  /** Maximum height: each level at least doubles the nodes, and addresses have 46 bits. */
  public static final int MAX_HEIGHT = 46;

  private static final int HEIGHT_SHIFT = 2;
  private static final int HEIGHT_MASK = 0xFF << HEIGHT_SHIFT;

  private TreeLayout() {}

  /** Packs the reference of the root and the number of levels of inner nodes. */
  public static long root(long node, int height) {
    return node | (long) height << HEIGHT_SHIFT;
  }

  /** Returns the reference of the root. */
  public static long rootNode(long root) {
    return root & ~(long) HEIGHT_MASK;
  }

  /** Returns the number of levels of inner nodes; not verified. */
  public static int height(long root) {
    return ((int) root & HEIGHT_MASK) >>> HEIGHT_SHIFT;
  }
}

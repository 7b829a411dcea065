package io.howdah.core.layout;

/**
 * A node of a B+-tree: a leaf or an inner node, of 1, 2 or 4 KiB. It has its entries beside their
 * keys. Little-endian.
 *
 * <pre>
 *        0      1       2        4              8
 *      +------+-------+--------+--------------+  node; offsets in one of 4 KiB
 *    0 | count| level | prefix | tag          |
 *    8 | order ...                            |  for each entry, in the order of the keys,
 *                                                a byte: the unit where it begins
 *   40 | used ...                             |  a bit for each unit: 1 = in use
 *   72 | next                                 |  reference of the right neighbour, 0 = none
 *   80 | low                                  |  fence: no key of the node is less
 *   88 | high                                 |  fence: all keys of the node are less
 *   96 | heads ...                            |  a word for each entry, in any order
 *  352 | entries ...                          |
 *
 *             1 KiB   2 KiB   4 KiB
 *  unit           8       8      16   bytes; entries and fences begin at a unit
 *  capacity      56      64      32   entries: bytes of order, words of heads
 *  used          16      32      32   bytes; the units before the entries have their bits set
 *
 *  level      bits 0 and 1: 1, so that the header of a node is not 0; then 6 bits: how many levels
 *             are below, 0 = leaf
 *  prefix     how many bytes all keys of the node begin with, because its fences do; at most
 *             65535. 0 if all keys have 8 bytes
 *  tag        bits 4 to 35 of the address of the tree
 *
 *  entry of a leaf, keys of 8 bytes, values of one length of at most 8 bytes
 *    0 | value                                |
 *
 *  entry of a leaf, keys of 8 bytes, other values
 *    0 | length                | value ...    |  bit 31 of the length: the value is in a
 *                                                block, and its address is at 8
 *
 *  entry of a leaf, keys of other lengths
 *    0 | keyLength             | valueLength  |  bit 31: it is in a block
 *    8 | key ...                              |  or the address of its block
 *      | value ...                            |  or, at the next word, that of its block
 *
 *  entry of an inner node
 *    0 | child                                |  reference of a node; then nothing if keys
 *                                                have 8 bytes
 *    8 | keyLength             | reserved = 0 |  bit 31: the key is in a block
 *   16 | key ...                              |  or the address of its block
 * </pre>
 *
 * <p>The <em>head</em> of a key of 8 bytes is the key, big-endian, with its sign inverted. That of
 * another key is made of what follows the prefix: 7 bytes, padded with zeros, and a byte that says
 * how many they are, or 8 if more follow; the sign is inverted. So heads, compared as signed
 * numbers, that differ have the order of their keys, and equal heads stand for equal keys if their
 * last byte is below 8. The head of the key at an index of the order is the one that as many heads
 * are less than or equal to: heads need no order of their own.
 *
 * <p>Fences are heads if keys have 8 bytes; {@link #NO_HIGH} is none. Else a fence is 0, which
 * stands for the empty key as the low one and for none as the high one; or the length of its key
 * from bit 46 on, and below that the offset of the key in the node, or the address of a block with
 * it, which no offset is as large as.
 *
 * <p>The children of an inner node have the keys from theirs on, up to the next one. Its first key
 * is its low fence. The low fence of a node never changes.
 *
 * <p>The layout follows slotted pages with heads and fences (Graefe, Foundations and Trends in
 * Databases 3(4), 2011; Neumann and Freitag, CIDR 2020).
 */
public final class TreeNodeLayout {

  /** Nodes of 1 KiB: keys of 8 bytes with one word each. */
  public static final TreeNodeLayout SMALL = new TreeNodeLayout(1 << 10, 56, 3);

  /** Nodes of 2 KiB: inner nodes, and leaves of short entries. */
  public static final TreeNodeLayout MIDDLE = new TreeNodeLayout(1 << 11, 64, 3);

  /** Nodes of 4 KiB: leaves of longer entries. */
  public static final TreeNodeLayout LARGE = new TreeNodeLayout(1 << 12, 32, 4);

  /** Offset of the header. */
  public static final int HEADER_OFFSET = 0;

  /** Offset of the order. */
  public static final int ORDER_OFFSET = HEADER_OFFSET + Long.BYTES;

  /** Word of the order. */
  public static final int ORDER_AT = ORDER_OFFSET / Long.BYTES;

  /** Longest entry of a leaf; what is longer has its value in a block. */
  public static final int MAX_ENTRY_BYTES = 256;

  /** Longest key in a node; a longer one has a block. */
  public static final int MAX_KEY_BYTES = 112;

  /** High fence of keys of 8 bytes: there is none. */
  public static final long NO_HIGH = Long.MIN_VALUE;

  /** In a length: what it is the length of is in a block. */
  public static final int IN_BLOCK = 1 << 31;

  private static final int LEVEL_SHIFT = 10;
  private static final int LEVEL_MASK = 63;
  private static final int PREFIX_SHIFT = 16;
  private static final int TAG_SHIFT = 32;
  private static final int MARK = 1 << 8;
  private static final int MARK_MASK = 3 << 8;
  private static final int FENCE_SHIFT = 46;
  private static final long FENCE_MASK = (1L << FENCE_SHIFT) - 1;
  private static final int LONG_KEY = 8;

  /** Longest prefix that a header can say. */
  public static final int MAX_PREFIX = 0xFFFF;

  private static final TreeNodeLayout[] BY_SIZE = {SMALL, MIDDLE, LARGE, LARGE};

  /** Bytes of the node. */
  public final int bytes;

  /** Words of the node. */
  public final int words;

  /** Maximum number of entries. */
  public final int capacity;

  /** Base-two logarithm of the bytes of a unit. */
  public final int unitShift;

  /** Units of the node. */
  public final int units;

  /** Word where the bits of used units begin. */
  public final int usedAt;

  /** Word of the right neighbour. */
  public final int nextAt;

  /** Word of the low fence. */
  public final int lowAt;

  /** Word of the high fence. */
  public final int highAt;

  /** Word of the first head. */
  public final int headsAt;

  /** Word where the entries begin: so many words have all but them. */
  public final int entriesAt;

  /** First unit that an entry can begin at. */
  public final int firstUnit;

  private TreeNodeLayout(int bytes, int capacity, int unitShift) {
    this.bytes = bytes;
    this.words = bytes / Long.BYTES;
    this.capacity = capacity;
    this.unitShift = unitShift;
    this.units = bytes >>> unitShift;
    this.usedAt = ORDER_AT + capacity / Long.BYTES;
    this.nextAt = usedAt + units / Long.SIZE;
    this.lowAt = nextAt + 1;
    this.highAt = lowAt + 1;
    this.headsAt = highAt + 1;
    this.entriesAt = headsAt + capacity;
    this.firstUnit = (entriesAt * Long.BYTES) >>> unitShift;
  }

  /** Returns the layout of a node. A reference that is none has some layout, too. */
  public static TreeNodeLayout of(long reference) {
    return BY_SIZE[(int) reference & 3];
  }

  /** Returns how many units some bytes take. */
  public int units(int lengthBytes) {
    return (lengthBytes + (1 << unitShift) - 1) >>> unitShift;
  }

  /** Returns the word at which a unit begins. */
  public int word(int unit) {
    return unit << (unitShift - 3);
  }

  /** Returns the word with the unit of the entry with an index. */
  public static int orderAt(int index) {
    return ORDER_AT + (index >>> 3);
  }

  /** Returns the unit of the entry with an index, from that word; not verified. */
  public static int unit(long order, int index) {
    return (int) (order >>> ((index & 7) << 3)) & 0xFF;
  }

  // ---- Header.

  /** Packs a header. */
  public static long header(int level, int count, int prefix, int tag) {
    return count
        | MARK
        | (long) level << LEVEL_SHIFT
        | (long) prefix << PREFIX_SHIFT
        | (long) tag << TAG_SHIFT;
  }

  /** Returns the header with another number of entries. */
  public static long withCount(long header, int count) {
    return (header & ~0xFFL) | count;
  }

  /** Returns the header with another prefix. */
  public static long withPrefix(long header, int prefix) {
    return (header & ~((long) MAX_PREFIX << PREFIX_SHIFT)) | (long) prefix << PREFIX_SHIFT;
  }

  /** Returns the number of entries; not verified. */
  public static int count(long header) {
    return (int) header & 0xFF;
  }

  /** Returns how many levels are below. */
  public static int level(long header) {
    return (int) header >>> LEVEL_SHIFT & LEVEL_MASK;
  }

  /** Returns how many bytes all keys begin with. */
  public static int prefix(long header) {
    return (int) header >>> PREFIX_SHIFT;
  }

  /**
   * Returns whether a word is the header of a node of a tree in a level.
   *
   * @param tag that of the tree
   */
  public static boolean isHeader(long header, int level, int tag) {
    return (int) (header >>> TAG_SHIFT) == tag
        && ((int) header & (MARK_MASK | LEVEL_MASK << LEVEL_SHIFT))
            == (MARK | level << LEVEL_SHIFT);
  }

  /** Returns what the headers of all nodes of a tree have, from the address of the tree. */
  public static int tag(long tree) {
    return (int) (tree >>> 4);
  }

  // ---- Keys.

  /** Returns the head of a key of 8 bytes, from these, big-endian. */
  public static long head(long key) {
    return key ^ Long.MIN_VALUE;
  }

  /**
   * Returns the head of another key.
   *
   * @param first 8 bytes behind the prefix, big-endian; those behind the key have any contents
   * @param length how many bytes the key has behind the prefix
   */
  public static long head(long first, int length) {
    if (length >= Long.BYTES) {
      return ((first & -256L) | LONG_KEY) ^ Long.MIN_VALUE;
    }
    long mask = length <= 0 ? 0 : -1L << (Long.SIZE - length * Byte.SIZE);
    return ((first & mask) | Math.max(0, length)) ^ Long.MIN_VALUE;
  }

  /** Returns whether a head, not of a key of 8 bytes, has a part of its key only. */
  public static boolean isPart(long head) {
    return (head & 0xFF) == LONG_KEY;
  }

  /** Packs a fence: a key in the node or in a block. */
  public static long fence(int keyLength, long place) {
    return (long) keyLength << FENCE_SHIFT | place;
  }

  /** Returns the length of a fence's key; not verified. */
  public static int fenceLength(long fence) {
    return (int) (fence >>> FENCE_SHIFT);
  }

  /** Returns the offset of a fence's key in the node, or the address of its block; not verified. */
  public static long fencePlace(long fence) {
    return fence & FENCE_MASK;
  }

  /** Returns whether a fence's key is in a block. */
  public static boolean isFenceInBlock(long fence) {
    return fencePlace(fence) >= LARGE.bytes;
  }
}

package io.howdah.core.layout;

/**
 * A B+-tree in the region, behind sorted maps, the catalogue and the types. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+  tree
 *    0 | magic        |  "HWDBTREE"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | root         |  address of a node
 *   32 | height       |  levels of inner nodes above the leaves
 *   40 | position     |  of an index that is being built, how far: see PersistentMap.walk; of a
 *                        change journal, the number of the newest change; else 0
 *   48 | buildKey     |  the same over a sorted map: address of a block with its last key in the
 *                        index, as of a long key; 0 = none
 *   56 | kept         |  of a change journal, how many changes it keeps; else 0
 *   64 | counters ... |  16 words, each 64 bytes from the next: their sum is the number of entries
 *   72 | lost         |  of a change journal: changes up to this number are lost, because the region
 *                        was full; some of them may still be in the tree. Else 0
 * 1088
 *
 *  leaf
 *    0 | order        |
 *    8 | next         |  address of the leaf to the right, 0 = none
 *   16 | previous     |  address of the leaf to the left, 0 = none
 *   24 | keys ...     |  15 words
 *  144 | values ...   |  15 words: values of one length of at most 8 bytes, or addresses of entries
 *  264
 *
 *  inner node
 *    0 | order        |
 *    8 | firstChild   |  address of the child with the keys before the first key
 *   16 | keys ...     |  15 words
 *  136 | longKeys ... |  15 words: address of a block with the whole key, 0 if its word has all of it
 *  256 | children ... |  15 words: addresses of the children, each with the keys from its key on
 *  376
 *
 *  order
 *    0 | count        |  bits 0 to 3: how many keys; then 4 bits for each, in the order of the keys:
 *                        the slot that the key is in
 * </pre>
 *
 * <p>If all keys have 8 bytes, a key's word is those, big-endian. Else it is the key's first 7
 * bytes, padded with zeros, and then a byte: how many they are, or 8 if the key is longer. So words
 * that differ have the order of their keys, and equal words whose last byte is below 8 stand for
 * equal keys.
 *
 * <p>Keys stay in their slots and the order word changes (Masstree; Mao, Kohler and Morris, EuroSys
 * 2012). So an insertion writes three words, wherever in the order the key goes.
 *
 * <p>{@link EntryLayout} describes entries and long keys.
 */
public final class TreeLayout {

  /** "HWDBTREE" read as a little-endian word. */
  public static final long MAGIC = 0x4545_5254_4244_5748L;

  /** Offset of the address of the root. */
  public static final int ROOT_OFFSET = CollectionHeaderLayout.HEADER_LENGTH;

  /** Offset of the number of levels of inner nodes. */
  public static final int HEIGHT_OFFSET = ROOT_OFFSET + Long.BYTES;

  /** Offset of the position of an index that is being built, or of a change journal. */
  public static final int POSITION_OFFSET = HEIGHT_OFFSET + Long.BYTES;

  /** Offset of the address of the key behind which the building of an index goes on. */
  public static final int BUILD_KEY_OFFSET = POSITION_OFFSET + Long.BYTES;

  /** Offset of the number of changes that a change journal keeps. */
  public static final int KEPT_OFFSET = BUILD_KEY_OFFSET + Long.BYTES;

  /** Offset of the first counter. */
  public static final int COUNTERS_OFFSET = 64;

  /** How many words the number of entries is spread over. */
  public static final int COUNTERS = 16;

  /** Bytes from one counter to the next. */
  public static final int COUNTER_BYTES = 64;

  /** Offset of the number of the newest change that a change journal has lost for want of room. */
  public static final int LOST_OFFSET = COUNTERS_OFFSET + Long.BYTES;

  /** Bytes of a tree without its nodes. */
  public static final int LENGTH = COUNTERS_OFFSET + COUNTERS * COUNTER_BYTES;

  /** Maximum height: each level at least doubles the nodes, and addresses have 46 bits. */
  public static final int MAX_HEIGHT = 46;

  /** Maximum number of keys of a node. */
  public static final int MAX_KEYS = 15;

  /** Offset of the order word in a leaf or an inner node. */
  public static final int ORDER_OFFSET = 0;

  /** Offset of the address of the right neighbour in a leaf. */
  public static final int NEXT_OFFSET = ORDER_OFFSET + Long.BYTES;

  /** Offset of the address of the left neighbour in a leaf. */
  public static final int PREVIOUS_OFFSET = NEXT_OFFSET + Long.BYTES;

  /** Offset of the keys' words in a leaf. */
  public static final int LEAF_KEYS_OFFSET = PREVIOUS_OFFSET + Long.BYTES;

  /** Offset of the values' words in a leaf. */
  public static final int VALUES_OFFSET = LEAF_KEYS_OFFSET + MAX_KEYS * Long.BYTES;

  /** Bytes of a leaf. */
  public static final int LEAF_LENGTH = VALUES_OFFSET + MAX_KEYS * Long.BYTES;

  /** Offset of the address of the first child in an inner node. */
  public static final int FIRST_CHILD_OFFSET = ORDER_OFFSET + Long.BYTES;

  /** Offset of the keys' words in an inner node. */
  public static final int KEYS_OFFSET = FIRST_CHILD_OFFSET + Long.BYTES;

  /** Offset of the addresses of long keys in an inner node. */
  public static final int LONG_KEYS_OFFSET = KEYS_OFFSET + MAX_KEYS * Long.BYTES;

  /** Offset of the addresses of the other children in an inner node. */
  public static final int CHILDREN_OFFSET = LONG_KEYS_OFFSET + MAX_KEYS * Long.BYTES;

  /** Bytes of an inner node. */
  public static final int NODE_LENGTH = CHILDREN_OFFSET + MAX_KEYS * Long.BYTES;

  /** Last byte of the word of a key that is longer than its word can tell. */
  public static final int LONG_KEY = 8;

  private static final int COUNT_BITS = 4;
  private static final int SLOT_BITS = 4;
  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

  private TreeLayout() {}

  /** Returns the word of a key that differs in length from others, from its first 8 bytes. */
  public static long keyWord(long firstBytes, int keyLength) {
    if (keyLength >= Long.BYTES) {
      return (firstBytes & -256L) | LONG_KEY;
    }
    long mask = keyLength == 0 ? 0 : -1L << (Long.SIZE - keyLength * Byte.SIZE);
    return (firstBytes & mask) | keyLength;
  }

  /** Returns whether a word that does not stand for 8 bytes holds a part of its key only. */
  public static boolean isLongKey(long keyWord) {
    return (keyWord & 255) == LONG_KEY;
  }

  /** Returns how many keys an order has. */
  public static int count(long order) {
    return (int) order & SLOT_MASK;
  }

  /** Returns the slot of the key with an index. */
  public static int slot(long order, int index) {
    return (int) (order >>> (SLOT_BITS * index + COUNT_BITS)) & SLOT_MASK;
  }

  /** Returns a slot that no key of the order is in. */
  public static int freeSlot(long order) {
    int used = 0;
    for (int i = 0; i < count(order); i++) {
      used |= 1 << slot(order, i);
    }
    return Integer.numberOfTrailingZeros(~used);
  }

  /** Returns the order with a slot inserted at an index. */
  public static long insert(long order, int index, int slot) {
    int shift = SLOT_BITS * index + COUNT_BITS;
    long low = (1L << shift) - 1;
    return ((order & low) | (long) slot << shift | (order & ~low) << SLOT_BITS) + 1;
  }

  /** Returns the order without the key at an index. */
  public static long remove(long order, int index) {
    int shift = SLOT_BITS * index + COUNT_BITS;
    long low = (1L << shift) - 1;
    return ((order & low) | (order >>> SLOT_BITS & ~low)) - 1;
  }

  /** Returns the order of the first keys alone. */
  public static long prefix(long order, int count) {
    long mask = count == MAX_KEYS ? -1L : (1L << (SLOT_BITS * count + COUNT_BITS)) - 1;
    return (order & mask & ~(long) SLOT_MASK) | count;
  }
}

package io.howdah.collections.structure;

/**
 * A B+-tree in the region, for {@link Tree}. Little-endian.
 *
 * <pre>
 *  tree
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDBTREE"
 *    8 | incarnation  |  tells this tree from others that were here before
 *   16 | shape        |  see CollectionHeader
 *   24 | root         |  address of a node
 *   32 | height       |  levels of inner nodes above the leaves
 *   40 | reserved = 0 |
 *   64 | counters ... |  16, each 64 bytes from the next: their sum is the number of entries
 *
 *  leaf
 *    0 | order        |  bits 0 to 3: how many keys; then 4 bits for each, its place, in key order
 *    8 | next         |  address of the leaf to the right, 0 = none
 *   16 | previous     |  address of the leaf to the left, 0 = none
 *   24 | keys ...     |  15 words
 *  144 | values ...   |  15 words: a value of up to 8 bytes, or the address of an entry
 *
 *  inner node
 *    0 | order        |
 *    8 | first        |  address of the child with the keys before the first key
 *   16 | keys ...     |  15 words
 *  136 | rests ...    |  15 words: address of the key's bytes, 0 if the word has them all
 *  256 | children ... |  15 words: addresses of the children from each key on
 *
 *  entry, if all keys have 8 bytes
 *    0 | valueLength  |  4 bytes
 *    4 | value ...    |
 *
 *  entry, if keys differ in length
 *    0 | keyLength, valueLength, 4 bytes each
 *    8 | key ...      |  then the value
 *
 *  rest
 *    0 | keyLength    |  4 bytes
 *    8 | key ...      |
 * </pre>
 *
 * A key's word has its first 8 bytes, big-endian, if all keys have 8 bytes. If they differ in
 * length, it has the first 7, padded with zeros, and then their number, 8 if there are more: words
 * that differ then have the order of their keys, and equal ones below 8 are equal keys.
 *
 * <p>A leaf changes by its order word (Masstree, Mao, Kohler and Morris, EuroSys 2012): an
 * insertion writes three words, wherever in the order it goes.
 */
public final class TreeLayout {

  public static final long MAGIC = 0x4545_5254_4244_5748L;
  static final int ROOT_OFFSET = CollectionHeader.LENGTH;
  static final int HEIGHT_OFFSET = ROOT_OFFSET + Long.BYTES;
  static final int COUNTERS_OFFSET = 64;
  static final int COUNTERS = 16;
  static final int COUNTER_STRIDE = 64;
  static final int LENGTH = COUNTERS_OFFSET + COUNTERS * COUNTER_STRIDE;

  /** Most levels of inner nodes: each level at least doubles, and addresses have 46 bits. */
  static final int MAX_HEIGHT = 46;

  /** Most keys of a node. */
  static final int KEYS = 15;

  static final int ORDER_OFFSET = 0;

  static final int NEXT_OFFSET = 8;
  static final int PREVIOUS_OFFSET = 16;
  static final int LEAF_KEYS_OFFSET = 24;
  static final int VALUES_OFFSET = LEAF_KEYS_OFFSET + KEYS * Long.BYTES;
  static final int LEAF_LENGTH = VALUES_OFFSET + KEYS * Long.BYTES;

  static final int FIRST_OFFSET = 8;
  static final int KEYS_OFFSET = 16;
  static final int RESTS_OFFSET = KEYS_OFFSET + KEYS * Long.BYTES;
  static final int CHILDREN_OFFSET = RESTS_OFFSET + KEYS * Long.BYTES;
  static final int NODE_LENGTH = CHILDREN_OFFSET + KEYS * Long.BYTES;

  /** Bytes of a key before its own, in an entry or a rest. */
  public static final int KEY_OFFSET = 8;

  /** Count of a word whose key goes on. */
  static final int MORE = 8;

  private TreeLayout() {}

  /** Returns how many keys an order has. */
  static int count(long order) {
    return (int) order & 15;
  }

  /** Returns the place of the index-th key. */
  static int place(long order, int index) {
    return (int) (order >>> (4 * index + 4)) & 15;
  }

  /** Returns a place that no key of the order has. */
  static int freePlace(long order) {
    int used = 0;
    for (int i = 0; i < count(order); i++) {
      used |= 1 << place(order, i);
    }
    return Integer.numberOfTrailingZeros(~used);
  }

  /** Returns the order with a place inserted as the index-th key. */
  static long insert(long order, int index, int place) {
    int shift = 4 * index + 4;
    long low = (1L << shift) - 1;
    return ((order & low) | (long) place << shift | (order & ~low) << 4) + 1;
  }

  /** Returns the order without its index-th key. */
  static long remove(long order, int index) {
    int shift = 4 * index + 4;
    long low = (1L << shift) - 1;
    return ((order & low) | (order >>> 4 & ~low)) - 1;
  }

  /** Returns the order of the first keys. */
  static long head(long order, int count) {
    long mask = count == KEYS ? -1L : (1L << (4 * count + 4)) - 1;
    return (order & mask & ~15L) | count;
  }
}

package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;

/**
 * Preloads the words that operations on several keys of a {@link Tree} will read. It descends for
 * all keys together, level by level, then loads their entries. A hint; see {@link KeysAhead}.
 * Thread-safe.
 */
final class TreeKeysAhead {

  /**
   * Maximum number of bytes that are compared; keys with more equal bytes may find a wrong entry.
   */
  private static final int MAX_COMPARED = 256;

  /** A tree with fewer inner levels has at most about 10,000 entries, which fit into the caches. */
  private static final int MIN_HEIGHT = 4;

  /** Higher levels are so small that the cache has them. */
  private static final int LOADED_LEVELS = 2;

  /** The beginning of a node, up to its last key; of the rest a search needs one word. */
  private static final int NODE_BYTES = TreeLayout.LONG_KEYS_OFFSET;

  private static final int LEAF_BYTES = TreeLayout.VALUES_OFFSET;
  private static final int NODE_KEYS = TreeLayout.KEYS_OFFSET / Long.BYTES;
  private static final int LEAF_KEYS = TreeLayout.LEAF_KEYS_OFFSET / Long.BYTES;

  private TreeKeysAhead() {}

  /** Returns whether a tree is so large that an operation waits for memory. */
  static boolean isUseful(Words words, long tree) {
    return tree != 0 && words.peek(tree + TreeLayout.HEIGHT_OFFSET) >= MIN_HEIGHT;
  }

  /** Loads nodes and entries. */
  static void load(Words words, long tree, TreeEntries entries, KeysAhead keys) {
    int count = keys.count();
    long root = words.peek(tree + TreeLayout.ROOT_OFFSET);
    for (int i = 0; i < count; i++) {
      keys.words[i] = entries.keyWord(keys.keys, keys.offsets[i], keys.lengths[i]);
      keys.addresses[i] = root;
    }
    long height = words.peek(tree + TreeLayout.HEIGHT_OFFSET);
    for (long level = Math.min(height, TreeLayout.MAX_HEIGHT); level > 0; level--) {
      requireBlocks(words, keys, TreeLayout.NODE_LENGTH);
      if (level <= LOADED_LEVELS) {
        loadFirst(words, keys, NODE_BYTES);
      }
      for (int i = 0; i < count; i++) {
        long node = keys.addresses[i];
        keys.loads[i] = node == 0 ? tree : child(words, entries, keys, i, node);
      }
      follow(words, keys);
    }
    requireBlocks(words, keys, TreeLayout.LEAF_LENGTH);
    loadFirst(words, keys, LEAF_BYTES);
    if (!entries.hasInlineValues()) {
      loadEntries(words, tree, entries, keys);
    }
  }

  private static void loadEntries(Words words, long tree, TreeEntries entries, KeysAhead keys) {
    int count = keys.count();
    for (int i = 0; i < count; i++) {
      long leaf = keys.addresses[i];
      long at = leaf == 0 ? 0 : value(words, entries, keys, i, leaf);
      keys.addresses[i] = at;
      keys.loads[i] = at == 0 ? tree : at;
    }
    follow(words, keys);
    int bytes = KeysAhead.blockBytes(CollectionScratch.of(words).treeEntryBytes);
    int n = 0;
    for (int i = 0; i < count; i++) {
      if (words.isBlock(keys.addresses[i], bytes)) {
        n = keys.addBlock(keys.addresses[i], bytes, n);
      }
    }
    words.preload(keys.loads, n, keys.sink);
  }

  /** Loads the words that lead to the next blocks, and takes their addresses. */
  private static void follow(Words words, KeysAhead keys) {
    int count = keys.count();
    words.preload(keys.loads, count, keys.sink);
    for (int i = 0; i < count; i++) {
      keys.addresses[i] = keys.addresses[i] == 0 ? 0 : keys.sink[i];
    }
  }

  /** Drops the addresses where no node can be. */
  private static void requireBlocks(Words words, KeysAhead keys, int bytes) {
    for (int i = 0; i < keys.count(); i++) {
      if (!words.isBlock(keys.addresses[i], bytes)) {
        keys.addresses[i] = 0;
      }
    }
  }

  /** Loads the first part of each node, but of one that several keys have led to once. */
  private static void loadFirst(Words words, KeysAhead keys, int bytes) {
    int n = 0;
    long last = 0;
    for (int i = 0; i < keys.count(); i++) {
      long node = keys.addresses[i];
      if (node != last && node != 0) {
        n = keys.addBlock(node, bytes, n);
        last = node;
      }
    }
    words.preload(keys.loads, n, keys.sink);
  }

  /** Returns the address of the word with the child that a key probably leads to. */
  private static long child(Words words, TreeEntries entries, KeysAhead keys, int key, long node) {
    words.peek(node, keys.node, NODE_BYTES / Long.BYTES);
    long blocks = node + TreeLayout.LONG_KEYS_OFFSET;
    int index = behind(words, entries, keys, key, NODE_KEYS, blocks);
    return node
        + (index == 0
            ? TreeLayout.FIRST_CHILD_OFFSET
            : TreeLayout.CHILDREN_OFFSET + offset(keys.node[0], index - 1));
  }

  /** Returns the address of the word that probably leads to the entry of a key, or 0. */
  private static long value(Words words, TreeEntries entries, KeysAhead keys, int key, long leaf) {
    words.peek(leaf, keys.node, LEAF_BYTES / Long.BYTES);
    long order = keys.node[0];
    long values = leaf + TreeLayout.VALUES_OFFSET;
    int index = behind(words, entries, keys, key, LEAF_KEYS, values) - 1;
    boolean isThere = index >= 0 && keys.node[LEAF_KEYS + slot(order, index)] == keys.words[key];
    return isThere ? values + offset(order, index) : 0;
  }

  /**
   * Returns how many keys of a node are not greater than a key.
   *
   * @param from where the words of the keys begin
   * @param blocks the address of the words that lead to whole keys
   */
  private static int behind(
      Words words, TreeEntries entries, KeysAhead keys, int key, int from, long blocks) {
    long[] node = keys.node;
    long order = node[0];
    long word = keys.words[key];
    int count = TreeLayout.count(order);
    int index = 0;
    int equal = 0;
    // All keys are compared without a branch: which one is the first above cannot be predicted.
    for (int i = 0; i < count; i++) {
      long other = node[from + slot(order, i)];
      index += Long.compareUnsigned(other, word) >>> (Integer.SIZE - 1);
      equal += other == word ? 1 : 0;
    }
    if (equal == 0 || !entries.isLongKey(word)) {
      return index + equal;
    }
    int low = index;
    int high = index + equal - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (compare(words, keys, key, words.peek(blocks + offset(order, middle))) < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Compares a key with the key in a block, up to the end of the region. */
  private static int compare(Words words, KeysAhead keys, int key, long block) {
    if (!words.isBlock(block, KEY_OFFSET + MAX_COMPARED)) {
      return 0;
    }
    EncodingBuffer mine = keys.keys;
    int length = keys.lengths[key];
    int otherLength = EntryLayout.keyLength(words.peek(block));
    int common = Math.min(Math.min(length, otherLength), MAX_COMPARED);
    for (int at = 0; at < common; at += Long.BYTES) {
      long word = mine.bigEndianWord(keys.offsets[key] + at);
      long other = Long.reverseBytes(words.peek(block + KEY_OFFSET + at));
      if (common - at < Long.BYTES) {
        long mask = -1L << (Long.SIZE - (common - at) * Byte.SIZE);
        word &= mask;
        other &= mask;
      }
      if (word != other) {
        return Long.compareUnsigned(word, other);
      }
    }
    return Integer.compare(length, otherLength);
  }

  /** Returns the offset of the word of a key with an index. */
  private static long offset(long order, int index) {
    return (long) slot(order, index) * Long.BYTES;
  }

  private static int slot(long order, int index) {
    // The order of a damaged node may have a slot more than nodes have.
    return Math.min(TreeLayout.slot(order, index), TreeLayout.MAX_KEYS - 1);
  }
}

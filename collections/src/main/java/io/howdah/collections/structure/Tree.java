package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;
import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The B+-tree of sorted maps, the catalogue and the types; {@link TreeLayout} has its format. Keys
 * and values are bytes: callers encode a key, and a value after it, into the image in the
 * transaction's scratch, and get a {@link DecodingBuffer} for a result.
 *
 * <p>A full node splits, and a node that loses its last key is removed. Nodes are not merged before
 * that, so a tree that has shrunk keeps some of its space until it grows again. A key after all
 * others gets a new leaf instead of a split of the last one, so ascending keys fill the leaves.
 *
 * <p>A tree with the address 0 does not exist yet. Reads treat it as an empty tree; {@link #put}
 * requires an address.
 */
public final class Tree {

  /**
   * One level of a tree.
   *
   * @param keys in all its nodes together
   * @param fill share of the keys for which its nodes have space, 0 to 1
   */
  public record Level(long nodes, long keys, double fill) {}

  /** Of its header; 0 if there is none yet. */
  private long tree;

  private final TreeEntries entries;

  /**
   * Works on a tree.
   *
   * @param fixedKeys whether all keys have 8 bytes
   * @param valueFixed length of all values in bytes, or {@link io.howdah.codec.Codec#VARIABLE}
   */
  public Tree(long tree, boolean fixedKeys, int valueFixed) {
    this.tree = tree;
    this.entries = new TreeEntries(fixedKeys, valueFixed);
  }

  /** Returns the tree at an address, as its header describes it. */
  public static Tree of(Words words, long tree) {
    boolean fixedKeys = CollectionHeader.keyLength(words, tree) == Long.BYTES;
    return new Tree(tree, fixedKeys, CollectionHeader.valueLength(words, tree));
  }

  /** Creates an empty tree and returns its address. */
  public static long create(Words words, long incarnation, int keyFixed, int valueFixed) {
    long tree = words.heap.allocate(TreeLayout.LENGTH);
    CollectionHeader.write(words, tree, TreeLayout.MAGIC, incarnation, keyFixed, valueFixed);
    words.putUnchecked(tree + TreeLayout.ROOT_OFFSET, TreeNodes.newLeaf(words));
    return tree;
  }

  /** The header is at another address, of a tree with the same lengths; or there is none. */
  public void move(long address) {
    tree = address;
  }

  // ---- Images: key, then value, in the scratch.

  /** Begins a key; its bytes follow. */
  public static EncodingBuffer beginKey(Words words) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.clear();
    image.putLong(0);
    return image;
  }

  /** Ends the key, and returns its length, which later calls take. */
  public static int endKey(Words words) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.padWord();
    return image.length() - KEY_OFFSET;
  }

  /** Returns the address of the child at an index; the first child has index 0. */
  static long child(Words words, long node, long order, int index) {
    long at =
        index == 0
            ? node + TreeLayout.FIRST_CHILD_OFFSET
            : node
                + TreeLayout.CHILDREN_OFFSET
                + (long) TreeLayout.slot(order, index - 1) * Long.BYTES;
    return node(words, at);
  }

  /** Returns the address of the tree. */
  long address() {
    return tree;
  }

  TreeEntries entries() {
    return entries;
  }

  /** Returns the address of the root. */
  long root(Words words) {
    return node(words, tree + TreeLayout.ROOT_OFFSET);
  }

  /** Returns the address of the node that a word leads to. */
  static long node(Words words, long at) {
    return StoredNumbers.block(
        words, words.getUnchecked(at), TreeLayout.LEAF_LENGTH, at, "a node of a tree");
  }

  /** Returns the address of the leaf for the key in the image. */
  long findLeaf(Words words, long word, int keyLength) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    long node = root(words);
    for (long level = height(words); level > 0; level--) {
      preload(words, node, level);
      long order = words.getUnchecked(node + TreeLayout.ORDER_OFFSET);
      node =
          child(words, node, order, entries.searchNode(words, image, node, order, word, keyLength));
    }
    preload(words, node, 0);
    return node;
  }

  /**
   * Loads a whole node, before a search that would wait for its cache lines one after the other.
   * Higher levels are so small that the cache has them.
   */
  private void preload(Words words, long node, long level) {
    if (level <= 1 && CollectionScratch.of(words).treeAhead != tree) {
      int bytes = level == 0 ? TreeLayout.LEAF_LENGTH : TreeLayout.NODE_LENGTH;
      if (words.isBlock(node, bytes)) {
        words.preload(node, bytes);
      }
    }
  }

  /** Returns the number of levels of inner nodes. */
  long height(Words words) {
    long height = words.getUnchecked(tree + TreeLayout.HEIGHT_OFFSET);
    if (height < 0 || height > TreeLayout.MAX_HEIGHT) {
      throw words.inconsistentRead(tree, "the tree at address " + tree);
    }
    return height;
  }

  // ---- Reading.

  /** Returns the value of the key in the image, or null. */
  public @Nullable DecodingBuffer get(Words words, int keyLength) {
    if (tree == 0) {
      return null;
    }
    long word = entries.keyWord(CollectionScratch.of(words).image, keyLength);
    long leaf = findLeaf(words, word, keyLength);
    long order = words.getUnchecked(leaf + TreeLayout.ORDER_OFFSET);
    int index = entries.searchLeaf(words, leaf, order, word, keyLength);
    if (index < 0) {
      return null;
    }
    long at = leaf + (long) TreeLayout.slot(order, index) * Long.BYTES;
    return entries.value(words, words.getUnchecked(at + TreeLayout.VALUES_OFFSET));
  }

  /** Counts the entries: reads 16 words. */
  public long size(Words words) {
    if (tree == 0) {
      return 0;
    }
    long size = 0;
    for (int i = 0; i < TreeLayout.COUNTERS; i++) {
      size += words.getUnchecked(counter(i));
    }
    return size;
  }

  private long counter(int index) {
    return tree + TreeLayout.COUNTERS_OFFSET + (long) index * TreeLayout.COUNTER_BYTES;
  }

  private void count(Words words, int difference) {
    // Transactions of different lanes count in different words.
    long counter = counter(words.id % TreeLayout.COUNTERS);
    words.putUnchecked(counter, words.getUnchecked(counter) + difference);
  }

  /** Returns whether preloading for operations on many keys is useful. */
  public boolean isAheadUseful(Words words) {
    return TreeKeysAhead.isUseful(words, tree);
  }

  /** Preloads the words that operations on several keys will read, so that cache misses overlap. */
  public void loadAhead(Words words, KeysAhead keys) {
    TreeKeysAhead.load(words, tree, entries, keys);
    if (keys.hasAll()) {
      CollectionScratch.of(words).treeAhead = tree;
    }
  }

  // ---- Putting.

  /** Begins the value after the key. The caller appends its bytes. */
  public static EncodingBuffer beginValue(Words words) {
    return CollectionScratch.of(words).image;
  }

  /** Puts the key and value in the image; returns whether the key is new. */
  public boolean put(Words words, int keyLength) {
    CollectionScratch scratch = CollectionScratch.of(words);
    scratch.image.padWord();
    long word = entries.keyWord(scratch.image, keyLength);
    TreeSplit split = scratch.treeSplit;
    split.node = 0;
    long root = root(words);
    long height = height(words);
    words.operations.begin();
    boolean isNew = put(words, root, height, word, keyLength, split);
    if (split.node != 0) {
      long node = words.heap.allocateUncleared(TreeLayout.NODE_LENGTH);
      words.putUnchecked(node + TreeLayout.ORDER_OFFSET, 0);
      words.putUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET, root);
      TreeNodes.insertChild(words, node, 0, 0, split);
      words.putUnchecked(tree + TreeLayout.ROOT_OFFSET, node);
      words.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, height + 1);
    }
    if (isNew) {
      count(words, 1);
    }
    words.operations.end();
    return isNew;
  }

  /**
   * Returns whether {@link #put} has room for the key and value in the image: for the entry, and
   * for all nodes that a split needs. Allocates these blocks and frees them, which reserves them
   * for this transaction. For keys of 8 bytes and values that are not inline.
   */
  public boolean hasRoom(Words words, int keyLength) {
    long word = entries.keyWord(CollectionScratch.of(words).image, keyLength);
    long leaf = findLeaf(words, word, keyLength);
    boolean splits =
        TreeLayout.count(words.getUnchecked(leaf + TreeLayout.ORDER_OFFSET)) == MAX_KEYS;
    long entry = words.heap.allocateUnclearedIfRoom(entries.entryBytes(words, keyLength));
    if (entry == 0) {
      return false;
    }
    boolean hasRoom = !splits || hasRoomForSplit(words, (int) height(words));
    words.heap.free(entry);
    return hasRoom;
  }

  /** Returns whether there is room for a leaf, a node in each level above it, and a new root. */
  private static boolean hasRoomForSplit(Words words, int height) {
    long[] nodes = new long[height + 2];
    int count = 0;
    while (count < nodes.length) {
      long length = count == 0 ? TreeLayout.LEAF_LENGTH : TreeLayout.NODE_LENGTH;
      long node = words.heap.allocateUnclearedIfRoom(length);
      if (node == 0) {
        break;
      }
      nodes[count++] = node;
    }
    boolean hasRoom = count == nodes.length;
    while (count > 0) {
      words.heap.free(nodes[--count]);
    }
    return hasRoom;
  }

  private boolean put(
      Words words, long node, long level, long word, int keyLength, TreeSplit split) {
    preload(words, node, level);
    long order = words.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    if (level == 0) {
      return putInLeaf(words, node, order, word, keyLength, split);
    }
    EncodingBuffer image = CollectionScratch.of(words).image;
    int index = entries.searchNode(words, image, node, order, word, keyLength);
    long child = child(words, node, order, index);
    boolean isNew = put(words, child, level - 1, word, keyLength, split);
    if (split.node != 0) {
      TreeNodes.putInNode(words, node, order, index, split);
    }
    return isNew;
  }

  private boolean putInLeaf(
      Words words, long leaf, long order, long word, int keyLength, TreeSplit split) {
    int index = entries.searchLeaf(words, leaf, order, word, keyLength);
    if (index >= 0) {
      long at = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, index) * Long.BYTES;
      entries.replace(words, at, keyLength);
      return false;
    }
    index = -1 - index;
    long value = entries.newValue(words, keyLength);
    int count = TreeLayout.count(order);
    if (count < MAX_KEYS) {
      TreeNodes.insertInLeaf(words, leaf, order, index, word, value);
      return true;
    }
    long next = words.getUnchecked(leaf + TreeLayout.NEXT_OFFSET);
    long right = TreeNodes.newLeaf(words);
    int kept = index == count && next == 0 ? count : (count + 1) / 2;
    long rightOrder = TreeNodes.moveTail(words, leaf, right, order, kept);
    words.putUnchecked(right + TreeLayout.NEXT_OFFSET, next);
    words.putUnchecked(right + TreeLayout.PREVIOUS_OFFSET, leaf);
    words.putUnchecked(leaf + TreeLayout.NEXT_OFFSET, right);
    if (next != 0) {
      words.putUnchecked(next + TreeLayout.PREVIOUS_OFFSET, right);
    }
    long leftOrder = TreeLayout.prefix(order, kept);
    words.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, leftOrder);
    if (index < kept || (index == kept && kept != count)) {
      TreeNodes.insertInLeaf(words, leaf, leftOrder, index, word, value);
    } else {
      TreeNodes.insertInLeaf(words, right, rightOrder, index - kept, word, value);
    }
    setSeparator(words, right, split);
    return true;
  }

  /** The first key of the right leaf separates it from the left one. */
  private void setSeparator(Words words, long right, TreeSplit split) {
    long order = words.getUnchecked(right + TreeLayout.ORDER_OFFSET);
    long at = right + (long) TreeLayout.slot(order, 0) * Long.BYTES;
    split.word = words.getUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET);
    split.longKey = 0;
    split.node = right;
    if (entries.isLongKey(split.word)) {
      // A copy: the entry may be removed while its key still separates nodes.
      long entry = words.getUnchecked(at + TreeLayout.VALUES_OFFSET);
      int length = TreeEntries.keyLength(words, entry);
      split.longKey = words.heap.allocateUncleared(KEY_OFFSET + (long) length);
      words.putUnchecked(split.longKey, length);
      for (int i = 0; i < length; i += Long.BYTES) {
        words.putUnchecked(
            split.longKey + KEY_OFFSET + i, words.getUnchecked(entry + KEY_OFFSET + i));
      }
    }
  }

  // ---- Removing.

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(Words words, int keyLength) {
    if (tree == 0) {
      return false;
    }
    long word = entries.keyWord(CollectionScratch.of(words).image, keyLength);
    long root = root(words);
    long height = height(words);
    words.operations.begin();
    int found = remove(words, root, height, word, keyLength);
    if (found != ABSENT) {
      count(words, -1);
      lower(words, root, height);
    }
    words.operations.end();
    return found != ABSENT;
  }

  /**
   * Removes the levels that are not needed after a removal, those whose only node has one child.
   *
   * <p>A removal never empties a root that is an inner node: {@link #put} creates such a root with
   * a key, and this method leaves no such root without a key.
   */
  private void lower(Words words, long from, long levels) {
    long root = from;
    long height = levels;
    while (height > 0 && TreeLayout.count(words.getUnchecked(root)) == 0) {
      long child = words.getUnchecked(root + TreeLayout.FIRST_CHILD_OFFSET);
      words.heap.free(root);
      root = child;
      height--;
      words.putUnchecked(tree + TreeLayout.ROOT_OFFSET, root);
      words.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, height);
    }
  }

  private static final int ABSENT = 0;
  private static final int REMOVED = 1;
  private static final int EMPTIED = 2;

  private int remove(Words words, long node, long level, long word, int keyLength) {
    preload(words, node, level);
    long order = words.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    if (level == 0) {
      return removeFromLeaf(words, node, order, word, keyLength);
    }
    EncodingBuffer image = CollectionScratch.of(words).image;
    int index = entries.searchNode(words, image, node, order, word, keyLength);
    long child = child(words, node, order, index);
    int found = remove(words, child, level - 1, word, keyLength);
    if (found != EMPTIED) {
      return found;
    }
    if (level == 1) {
      TreeNodes.unlinkLeaf(words, child);
    }
    words.heap.free(child);
    if (TreeLayout.count(order) == 0) {
      return EMPTIED;
    }
    int removed = Math.max(0, index - 1);
    long at = node + (long) TreeLayout.slot(order, removed) * Long.BYTES;
    if (index == 0) {
      words.putUnchecked(
          node + TreeLayout.FIRST_CHILD_OFFSET,
          words.getUnchecked(at + TreeLayout.CHILDREN_OFFSET));
    }
    long longKey = words.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET);
    if (longKey != 0) {
      words.heap.free(longKey);
    }
    words.putUnchecked(node + TreeLayout.ORDER_OFFSET, TreeLayout.remove(order, removed));
    return REMOVED;
  }

  private int removeFromLeaf(Words words, long leaf, long order, long word, int keyLength) {
    int index = entries.searchLeaf(words, leaf, order, word, keyLength);
    if (index < 0) {
      return ABSENT;
    }
    if (!entries.hasInlineValues()) {
      long at = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, index) * Long.BYTES;
      words.heap.free(words.getUnchecked(at));
    }
    words.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, TreeLayout.remove(order, index));
    return TreeLayout.count(order) == 1 ? EMPTIED : REMOVED;
  }

  /** Returns how many nodes each level has, and how full they are; the root first. */
  public List<Level> levels(Words words) {
    return TreeWalk.levels(words, this);
  }

  /** Shows every block, the tree included. A block is not read after it was shown. */
  public void visitBlocks(Words words, LongConsumer blocks) {
    TreeWalk.visitBlocks(words, this, entries.hasInlineValues(), blocks);
  }
}

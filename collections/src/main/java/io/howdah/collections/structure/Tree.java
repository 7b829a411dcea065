package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;
import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxContext;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The B+-tree behind sorted maps, the catalogue and the types, as {@link TreeLayout} describes it.
 * Keys and values are bytes here: callers encode a key, and a value behind it, into the image in
 * the context's scratch, and get a {@link Decoder} back.
 *
 * <p>A full node splits, and a node that loses its last key is removed. Nodes are not merged before
 * that, so a tree that has shrunk keeps some of its space until it grows again. A key behind all
 * others gets a new leaf, and the last leaf is not halved: so ascending keys fill the leaves.
 *
 * <p>A tree with the address 0 has not been made yet. It is read as an empty one; {@link #put}
 * needs an address.
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
  public static Tree of(TxContext context, long tree) {
    boolean fixedKeys = CollectionHeader.keyLength(context, tree) == Long.BYTES;
    return new Tree(tree, fixedKeys, CollectionHeader.valueLength(context, tree));
  }

  /** Creates an empty tree and returns its address. */
  public static long create(TxContext context, long incarnation, int keyFixed, int valueFixed) {
    long tree = context.heap.allocate(TreeLayout.LENGTH);
    CollectionHeader.write(context, tree, TreeLayout.MAGIC, incarnation, keyFixed, valueFixed);
    context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, TreeNodes.newLeaf(context));
    return tree;
  }

  /** The header is at another address, of a tree with the same lengths; or there is none. */
  public void move(long address) {
    tree = address;
  }

  // ---- Images: key, then value, in the scratch.

  /** Begins a key; its bytes follow. */
  public static Encoder beginKey(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    image.clear();
    image.putLong(0);
    return image;
  }

  /** Ends the key, and returns its length, which later calls take. */
  public static int endKey(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    image.padWord();
    return image.length() - KEY_OFFSET;
  }

  /** Returns the address of the child at an index; the first child has index 0. */
  static long child(TxContext context, long node, long order, int index) {
    long at =
        index == 0
            ? node + TreeLayout.FIRST_CHILD_OFFSET
            : node
                + TreeLayout.CHILDREN_OFFSET
                + (long) TreeLayout.slot(order, index - 1) * Long.BYTES;
    return node(context, at);
  }

  /** Returns the address of the tree. */
  long address() {
    return tree;
  }

  TreeEntries entries() {
    return entries;
  }

  /** Returns the address of the root. */
  long root(TxContext context) {
    return node(context, tree + TreeLayout.ROOT_OFFSET);
  }

  /** Returns the address of the node that a word leads to. */
  static long node(TxContext context, long at) {
    return StoredNumbers.block(
        context, context.getUnchecked(at), TreeLayout.LEAF_LENGTH, at, "a node of a tree");
  }

  /** Returns the address of the leaf for the key in the image. */
  long findLeaf(TxContext context, long word, int keyLength) {
    Encoder image = CollectionScratch.of(context).image;
    long node = root(context);
    for (long level = height(context); level > 0; level--) {
      preload(context, node, level);
      long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
      node =
          child(
              context,
              node,
              order,
              entries.searchNode(context, image, node, order, word, keyLength));
    }
    preload(context, node, 0);
    return node;
  }

  /**
   * Loads a whole node, before a search that would wait for its cache lines one after the other.
   * Higher levels are so small that the cache has them.
   */
  private void preload(TxContext context, long node, long level) {
    if (level <= 1 && CollectionScratch.of(context).treeAhead != tree) {
      int bytes = level == 0 ? TreeLayout.LEAF_LENGTH : TreeLayout.NODE_LENGTH;
      if (context.isBlock(node, bytes)) {
        context.preload(node, bytes);
      }
    }
  }

  /** Returns the number of levels of inner nodes. */
  long height(TxContext context) {
    long height = context.getUnchecked(tree + TreeLayout.HEIGHT_OFFSET);
    if (height < 0 || height > TreeLayout.MAX_HEIGHT) {
      throw context.inconsistentRead(tree, "the tree at address " + tree);
    }
    return height;
  }

  // ---- Reading.

  /** Returns the value of the key in the image, or null. */
  public @Nullable Decoder get(TxContext context, int keyLength) {
    if (tree == 0) {
      return null;
    }
    long word = entries.keyWord(CollectionScratch.of(context).image, keyLength);
    long leaf = findLeaf(context, word, keyLength);
    long order = context.getUnchecked(leaf + TreeLayout.ORDER_OFFSET);
    int index = entries.searchLeaf(context, leaf, order, word, keyLength);
    if (index < 0) {
      return null;
    }
    long at = leaf + (long) TreeLayout.slot(order, index) * Long.BYTES;
    return entries.value(context, context.getUnchecked(at + TreeLayout.VALUES_OFFSET));
  }

  /** Counts the entries: reads 16 words. */
  public long size(TxContext context) {
    if (tree == 0) {
      return 0;
    }
    long size = 0;
    for (int i = 0; i < TreeLayout.COUNTERS; i++) {
      size += context.getUnchecked(counter(i));
    }
    return size;
  }

  private long counter(int index) {
    return tree + TreeLayout.COUNTERS_OFFSET + (long) index * TreeLayout.COUNTER_BYTES;
  }

  private void count(TxContext context, int difference) {
    // Transactions of different lanes count in different words.
    long counter = counter(context.id % TreeLayout.COUNTERS);
    context.putUnchecked(counter, context.getUnchecked(counter) + difference);
  }

  /** Returns whether to load ahead what operations on many keys read. */
  public boolean isAheadUseful(TxContext context) {
    return TreeKeysAhead.isUseful(context, tree);
  }

  /**
   * Loads what operations on several keys are going to read, for the sake of their cache misses.
   */
  public void loadAhead(TxContext context, KeysAhead keys) {
    TreeKeysAhead.load(context, tree, entries, keys);
    if (keys.hasAll()) {
      CollectionScratch.of(context).treeAhead = tree;
    }
  }

  // ---- Putting.

  /** Begins the value behind the key; its bytes follow. */
  public static Encoder beginValue(TxContext context) {
    return CollectionScratch.of(context).image;
  }

  /** Puts the key and value in the image; returns whether the key is new. */
  public boolean put(TxContext context, int keyLength) {
    CollectionScratch scratch = CollectionScratch.of(context);
    scratch.image.padWord();
    long word = entries.keyWord(scratch.image, keyLength);
    TreeSplit split = scratch.treeSplit;
    split.node = 0;
    long root = root(context);
    long height = height(context);
    context.operations.begin();
    boolean isNew = put(context, root, height, word, keyLength, split);
    if (split.node != 0) {
      long node = context.heap.allocateUncleared(TreeLayout.NODE_LENGTH);
      context.putUnchecked(node + TreeLayout.ORDER_OFFSET, 0);
      context.putUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET, root);
      TreeNodes.insertChild(context, node, 0, 0, split);
      context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, node);
      context.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, height + 1);
    }
    if (isNew) {
      count(context, 1);
    }
    context.operations.end();
    return isNew;
  }

  /**
   * Returns whether {@link #put} has room for the key and value in the image: for the entry, and
   * for all nodes that a split needs. Takes these blocks and gives them back, so that no other
   * transaction has them. For keys of 8 bytes and values that are not inline.
   */
  public boolean hasRoom(TxContext context, int keyLength) {
    long word = entries.keyWord(CollectionScratch.of(context).image, keyLength);
    long leaf = findLeaf(context, word, keyLength);
    boolean splits =
        TreeLayout.count(context.getUnchecked(leaf + TreeLayout.ORDER_OFFSET)) == MAX_KEYS;
    long entry = context.heap.allocateUnclearedIfRoom(entries.entryBytes(context, keyLength));
    if (entry == 0) {
      return false;
    }
    boolean hasRoom = !splits || hasRoomForSplit(context, (int) height(context));
    context.heap.free(entry);
    return hasRoom;
  }

  /** Returns whether there is room for a leaf, a node in each level above it, and a new root. */
  private static boolean hasRoomForSplit(TxContext context, int height) {
    long[] nodes = new long[height + 2];
    int count = 0;
    while (count < nodes.length) {
      long length = count == 0 ? TreeLayout.LEAF_LENGTH : TreeLayout.NODE_LENGTH;
      long node = context.heap.allocateUnclearedIfRoom(length);
      if (node == 0) {
        break;
      }
      nodes[count++] = node;
    }
    boolean hasRoom = count == nodes.length;
    while (count > 0) {
      context.heap.free(nodes[--count]);
    }
    return hasRoom;
  }

  private boolean put(
      TxContext context, long node, long level, long word, int keyLength, TreeSplit split) {
    preload(context, node, level);
    long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    if (level == 0) {
      return putInLeaf(context, node, order, word, keyLength, split);
    }
    Encoder image = CollectionScratch.of(context).image;
    int index = entries.searchNode(context, image, node, order, word, keyLength);
    long child = child(context, node, order, index);
    boolean isNew = put(context, child, level - 1, word, keyLength, split);
    if (split.node != 0) {
      TreeNodes.putInNode(context, node, order, index, split);
    }
    return isNew;
  }

  private boolean putInLeaf(
      TxContext context, long leaf, long order, long word, int keyLength, TreeSplit split) {
    int index = entries.searchLeaf(context, leaf, order, word, keyLength);
    if (index >= 0) {
      long at = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, index) * Long.BYTES;
      entries.replace(context, at, keyLength);
      return false;
    }
    index = -1 - index;
    long value = entries.newValue(context, keyLength);
    int count = TreeLayout.count(order);
    if (count < MAX_KEYS) {
      TreeNodes.insertInLeaf(context, leaf, order, index, word, value);
      return true;
    }
    long next = context.getUnchecked(leaf + TreeLayout.NEXT_OFFSET);
    long right = TreeNodes.newLeaf(context);
    int kept = index == count && next == 0 ? count : (count + 1) / 2;
    long rightOrder = TreeNodes.moveTail(context, leaf, right, order, kept);
    context.putUnchecked(right + TreeLayout.NEXT_OFFSET, next);
    context.putUnchecked(right + TreeLayout.PREVIOUS_OFFSET, leaf);
    context.putUnchecked(leaf + TreeLayout.NEXT_OFFSET, right);
    if (next != 0) {
      context.putUnchecked(next + TreeLayout.PREVIOUS_OFFSET, right);
    }
    long leftOrder = TreeLayout.prefix(order, kept);
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, leftOrder);
    if (index < kept || (index == kept && kept != count)) {
      TreeNodes.insertInLeaf(context, leaf, leftOrder, index, word, value);
    } else {
      TreeNodes.insertInLeaf(context, right, rightOrder, index - kept, word, value);
    }
    setSeparator(context, right, split);
    return true;
  }

  /** The first key of the right leaf separates it from the left one. */
  private void setSeparator(TxContext context, long right, TreeSplit split) {
    long order = context.getUnchecked(right + TreeLayout.ORDER_OFFSET);
    long at = right + (long) TreeLayout.slot(order, 0) * Long.BYTES;
    split.word = context.getUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET);
    split.longKey = 0;
    split.node = right;
    if (entries.isLongKey(split.word)) {
      // A copy: the entry may be removed while its key still separates nodes.
      long entry = context.getUnchecked(at + TreeLayout.VALUES_OFFSET);
      int length = TreeEntries.keyLength(context, entry);
      split.longKey = context.heap.allocateUncleared(KEY_OFFSET + (long) length);
      context.putUnchecked(split.longKey, length);
      for (int i = 0; i < length; i += Long.BYTES) {
        context.putUnchecked(
            split.longKey + KEY_OFFSET + i, context.getUnchecked(entry + KEY_OFFSET + i));
      }
    }
  }

  // ---- Removing.

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(TxContext context, int keyLength) {
    if (tree == 0) {
      return false;
    }
    long word = entries.keyWord(CollectionScratch.of(context).image, keyLength);
    long root = root(context);
    long height = height(context);
    context.operations.begin();
    int found = remove(context, root, height, word, keyLength);
    if (found != ABSENT) {
      count(context, -1);
      lower(context, root, height);
    }
    context.operations.end();
    return found != ABSENT;
  }

  /**
   * Removes the levels that are not needed after a removal, those whose only node has one child.
   *
   * <p>A removal never empties a root that is an inner node: {@link #put} gives such a root a key
   * when it makes it, and this method leaves none without a key.
   */
  private void lower(TxContext context, long from, long levels) {
    long root = from;
    long height = levels;
    while (height > 0 && TreeLayout.count(context.getUnchecked(root)) == 0) {
      long child = context.getUnchecked(root + TreeLayout.FIRST_CHILD_OFFSET);
      context.heap.free(root);
      root = child;
      height--;
      context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, root);
      context.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, height);
    }
  }

  private static final int ABSENT = 0;
  private static final int REMOVED = 1;
  private static final int EMPTIED = 2;

  private int remove(TxContext context, long node, long level, long word, int keyLength) {
    preload(context, node, level);
    long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    if (level == 0) {
      return removeFromLeaf(context, node, order, word, keyLength);
    }
    Encoder image = CollectionScratch.of(context).image;
    int index = entries.searchNode(context, image, node, order, word, keyLength);
    long child = child(context, node, order, index);
    int found = remove(context, child, level - 1, word, keyLength);
    if (found != EMPTIED) {
      return found;
    }
    if (level == 1) {
      TreeNodes.unlinkLeaf(context, child);
    }
    context.heap.free(child);
    if (TreeLayout.count(order) == 0) {
      return EMPTIED;
    }
    int removed = Math.max(0, index - 1);
    long at = node + (long) TreeLayout.slot(order, removed) * Long.BYTES;
    if (index == 0) {
      context.putUnchecked(
          node + TreeLayout.FIRST_CHILD_OFFSET,
          context.getUnchecked(at + TreeLayout.CHILDREN_OFFSET));
    }
    long longKey = context.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET);
    if (longKey != 0) {
      context.heap.free(longKey);
    }
    context.putUnchecked(node + TreeLayout.ORDER_OFFSET, TreeLayout.remove(order, removed));
    return REMOVED;
  }

  private int removeFromLeaf(TxContext context, long leaf, long order, long word, int keyLength) {
    int index = entries.searchLeaf(context, leaf, order, word, keyLength);
    if (index < 0) {
      return ABSENT;
    }
    if (!entries.hasInlineValues()) {
      long at = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, index) * Long.BYTES;
      context.heap.free(context.getUnchecked(at));
    }
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, TreeLayout.remove(order, index));
    return TreeLayout.count(order) == 1 ? EMPTIED : REMOVED;
  }

  /** Returns how many nodes each level has, and how full they are; the root first. */
  public List<Level> levels(TxContext context) {
    return TreeWalk.levels(context, this);
  }

  /** Shows every block, the tree included. A block is not read after it was shown. */
  public void visitBlocks(TxContext context, LongConsumer blocks) {
    TreeWalk.visitBlocks(context, this, entries.hasInlineValues(), blocks);
  }
}

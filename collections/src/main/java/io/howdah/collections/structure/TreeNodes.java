package io.howdah.collections.structure;

import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;

/** Changes single nodes of a {@link Tree}, independently of the types of its keys and values. */
final class TreeNodes {

  /** Offsets of the words that an inner node has for each key. */
  private static final int[] KEY_PARTS = {
    TreeLayout.KEYS_OFFSET, TreeLayout.LONG_KEYS_OFFSET, TreeLayout.CHILDREN_OFFSET
  };

  private TreeNodes() {}

  /** Allocates an empty leaf. */
  static long newLeaf(Words words) {
    long leaf = words.heap.allocateUncleared(TreeLayout.LEAF_LENGTH);
    words.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, 0);
    words.putUnchecked(leaf + TreeLayout.NEXT_OFFSET, 0);
    words.putUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET, 0);
    return leaf;
  }

  /** Inserts a key and a value at an index into a leaf that has space. */
  static void insertInLeaf(Words words, long leaf, long order, int index, long word, long value) {
    int slot = TreeLayout.freeSlot(order);
    long at = leaf + (long) slot * Long.BYTES;
    words.putUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET, word);
    words.putUnchecked(at + TreeLayout.VALUES_OFFSET, value);
    words.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, TreeLayout.insert(order, index, slot));
  }

  /** Copies the keys from an index on into an empty leaf; returns its order. */
  static long moveTail(Words words, long leaf, long right, long order, int from) {
    long rightOrder = 0;
    for (int i = from; i < TreeLayout.count(order); i++) {
      long source = leaf + (long) TreeLayout.slot(order, i) * Long.BYTES;
      long target = right + (long) (i - from) * Long.BYTES;
      words.putUnchecked(
          target + TreeLayout.LEAF_KEYS_OFFSET,
          words.getUnchecked(source + TreeLayout.LEAF_KEYS_OFFSET));
      words.putUnchecked(
          target + TreeLayout.VALUES_OFFSET, words.getUnchecked(source + TreeLayout.VALUES_OFFSET));
      rightOrder = TreeLayout.insert(rightOrder, i - from, i - from);
    }
    words.putUnchecked(right + TreeLayout.ORDER_OFFSET, rightOrder);
    return rightOrder;
  }

  /** Inserts a child after the one at an index; splits the node if it is full. */
  static void putInNode(Words words, long node, long order, int index, TreeSplit split) {
    int count = TreeLayout.count(order);
    if (count < MAX_KEYS) {
      insertChild(words, node, order, index, split);
      split.node = 0;
      return;
    }
    long right = words.heap.allocateUncleared(TreeLayout.NODE_LENGTH);
    int kept = index == count ? count - 1 : count / 2;
    // The key after the kept ones moves to the parent. Its child becomes the right node's first.
    long middle = node + (long) TreeLayout.slot(order, kept) * Long.BYTES;
    long upWord = words.getUnchecked(middle + TreeLayout.KEYS_OFFSET);
    long upLongKey = words.getUnchecked(middle + TreeLayout.LONG_KEYS_OFFSET);
    words.putUnchecked(
        right + TreeLayout.FIRST_CHILD_OFFSET,
        words.getUnchecked(middle + TreeLayout.CHILDREN_OFFSET));
    long rightOrder = 0;
    for (int i = kept + 1; i < count; i++) {
      long source = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
      int slot = i - kept - 1;
      long target = right + (long) slot * Long.BYTES;
      for (int part : KEY_PARTS) {
        words.putUnchecked(target + part, words.getUnchecked(source + part));
      }
      rightOrder = TreeLayout.insert(rightOrder, slot, slot);
    }
    words.putUnchecked(right + TreeLayout.ORDER_OFFSET, rightOrder);
    long leftOrder = TreeLayout.prefix(order, kept);
    words.putUnchecked(node + TreeLayout.ORDER_OFFSET, leftOrder);
    if (index <= kept) {
      insertChild(words, node, leftOrder, index, split);
    } else {
      insertChild(words, right, rightOrder, index - kept - 1, split);
    }
    split.word = upWord;
    split.longKey = upLongKey;
    split.node = right;
  }

  /** Inserts a child at an index into a node that has space. */
  static void insertChild(Words words, long node, long order, int index, TreeSplit split) {
    int slot = TreeLayout.freeSlot(order);
    long at = node + (long) slot * Long.BYTES;
    words.putUnchecked(at + TreeLayout.KEYS_OFFSET, split.word);
    words.putUnchecked(at + TreeLayout.LONG_KEYS_OFFSET, split.longKey);
    words.putUnchecked(at + TreeLayout.CHILDREN_OFFSET, split.node);
    words.putUnchecked(node + TreeLayout.ORDER_OFFSET, TreeLayout.insert(order, index, slot));
  }

  /** Takes a leaf out of the list of leaves. */
  static void unlinkLeaf(Words words, long leaf) {
    long next = words.getUnchecked(leaf + TreeLayout.NEXT_OFFSET);
    long previous = words.getUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET);
    if (next != 0) {
      words.putUnchecked(next + TreeLayout.PREVIOUS_OFFSET, previous);
    }
    if (previous != 0) {
      words.putUnchecked(previous + TreeLayout.NEXT_OFFSET, next);
    }
  }
}

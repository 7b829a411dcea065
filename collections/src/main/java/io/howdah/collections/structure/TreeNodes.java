package io.howdah.collections.structure;

import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxContext;

/** Changes single nodes of a {@link Tree}, whatever its keys and values are. */
final class TreeNodes {

  /** Offsets of the words that an inner node has for each key. */
  private static final int[] KEY_PARTS = {
    TreeLayout.KEYS_OFFSET, TreeLayout.LONG_KEYS_OFFSET, TreeLayout.CHILDREN_OFFSET
  };

  private TreeNodes() {}

  /** Allocates an empty leaf. */
  static long newLeaf(TxContext context) {
    long leaf = context.heap.allocateUncleared(TreeLayout.LEAF_LENGTH);
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, 0);
    context.putUnchecked(leaf + TreeLayout.NEXT_OFFSET, 0);
    context.putUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET, 0);
    return leaf;
  }

  /** Inserts a key and a value at an index into a leaf that has space. */
  static void insertInLeaf(
      TxContext context, long leaf, long order, int index, long word, long value) {
    int slot = TreeLayout.freeSlot(order);
    long at = leaf + (long) slot * Long.BYTES;
    context.putUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET, word);
    context.putUnchecked(at + TreeLayout.VALUES_OFFSET, value);
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, TreeLayout.insert(order, index, slot));
  }

  /** Copies the keys from an index on into an empty leaf; returns its order. */
  static long moveTail(TxContext context, long leaf, long right, long order, int from) {
    long rightOrder = 0;
    for (int i = from; i < TreeLayout.count(order); i++) {
      long source = leaf + (long) TreeLayout.slot(order, i) * Long.BYTES;
      long target = right + (long) (i - from) * Long.BYTES;
      context.putUnchecked(
          target + TreeLayout.LEAF_KEYS_OFFSET,
          context.getUnchecked(source + TreeLayout.LEAF_KEYS_OFFSET));
      context.putUnchecked(
          target + TreeLayout.VALUES_OFFSET,
          context.getUnchecked(source + TreeLayout.VALUES_OFFSET));
      rightOrder = TreeLayout.insert(rightOrder, i - from, i - from);
    }
    context.putUnchecked(right + TreeLayout.ORDER_OFFSET, rightOrder);
    return rightOrder;
  }

  /** Inserts a child behind the one at an index; splits the node if it is full. */
  static void putInNode(TxContext context, long node, long order, int index, TreeSplit split) {
    int count = TreeLayout.count(order);
    if (count < MAX_KEYS) {
      insertChild(context, node, order, index, split);
      split.node = 0;
      return;
    }
    long right = context.heap.allocateUncleared(TreeLayout.NODE_LENGTH);
    int kept = index == count ? count - 1 : count / 2;
    // The key after those kept goes up; its child becomes the right node's first.
    long middle = node + (long) TreeLayout.slot(order, kept) * Long.BYTES;
    long upWord = context.getUnchecked(middle + TreeLayout.KEYS_OFFSET);
    long upLongKey = context.getUnchecked(middle + TreeLayout.LONG_KEYS_OFFSET);
    context.putUnchecked(
        right + TreeLayout.FIRST_CHILD_OFFSET,
        context.getUnchecked(middle + TreeLayout.CHILDREN_OFFSET));
    long rightOrder = 0;
    for (int i = kept + 1; i < count; i++) {
      long source = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
      int slot = i - kept - 1;
      long target = right + (long) slot * Long.BYTES;
      for (int part : KEY_PARTS) {
        context.putUnchecked(target + part, context.getUnchecked(source + part));
      }
      rightOrder = TreeLayout.insert(rightOrder, slot, slot);
    }
    context.putUnchecked(right + TreeLayout.ORDER_OFFSET, rightOrder);
    long leftOrder = TreeLayout.prefix(order, kept);
    context.putUnchecked(node + TreeLayout.ORDER_OFFSET, leftOrder);
    if (index <= kept) {
      insertChild(context, node, leftOrder, index, split);
    } else {
      insertChild(context, right, rightOrder, index - kept - 1, split);
    }
    split.word = upWord;
    split.longKey = upLongKey;
    split.node = right;
  }

  /** Inserts a child at an index into a node that has space. */
  static void insertChild(TxContext context, long node, long order, int index, TreeSplit split) {
    int slot = TreeLayout.freeSlot(order);
    long at = node + (long) slot * Long.BYTES;
    context.putUnchecked(at + TreeLayout.KEYS_OFFSET, split.word);
    context.putUnchecked(at + TreeLayout.LONG_KEYS_OFFSET, split.longKey);
    context.putUnchecked(at + TreeLayout.CHILDREN_OFFSET, split.node);
    context.putUnchecked(node + TreeLayout.ORDER_OFFSET, TreeLayout.insert(order, index, slot));
  }

  /** Takes a leaf out of the list of leaves. */
  static void unlinkLeaf(TxContext context, long leaf) {
    long next = context.getUnchecked(leaf + TreeLayout.NEXT_OFFSET);
    long previous = context.getUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET);
    if (next != 0) {
      context.putUnchecked(next + TreeLayout.PREVIOUS_OFFSET, previous);
    }
    if (previous != 0) {
      context.putUnchecked(previous + TreeLayout.NEXT_OFFSET, next);
    }
  }
}

package io.howdah.collections.structure;

import io.howdah.codec.Decoder;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.Operations;
import io.howdah.txn.stm.TxContext;

/**
 * A position between two keys of a tree, which moves in either direction. After a change of the
 * tree by this transaction, or a rollback, the cursor must seek again; {@link Operations#changes}
 * tells.
 */
public final class TreeCursor {
  private final Tree tree;
  private long leaf;
  private long order;

  /** The key that is next in ascending order. */
  private int index;

  private long word;
  private long value;

  public TreeCursor(Tree tree) {
    this.tree = tree;
  }

  /** Goes before all keys. */
  public void first(TxContext context) {
    long node = tree.root(context);
    for (long level = tree.height(context); level > 0; level--) {
      node = Tree.node(context, node + TreeLayout.FIRST_CHILD_OFFSET);
    }
    enter(context, node);
    index = 0;
  }

  /** Goes behind all keys. */
  public void last(TxContext context) {
    long node = tree.root(context);
    for (long level = tree.height(context); level > 0; level--) {
      long inner = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
      node = Tree.child(context, node, inner, TreeLayout.count(inner));
    }
    enter(context, node);
    index = TreeLayout.count(order);
  }

  /**
   * Goes before the first key that is not less than the one in the image, or behind that if it is
   * equal.
   */
  public void seek(TxContext context, int keyLength, boolean behindEqual) {
    long key = tree.entries().keyWord(CollectionScratch.of(context).image, keyLength);
    enter(context, tree.findLeaf(context, key, keyLength));
    int found = tree.entries().searchLeaf(context, leaf, order, key, keyLength);
    index = found < 0 ? -1 - found : behindEqual ? found + 1 : found;
  }

  private void enter(TxContext context, long leaf) {
    this.leaf = leaf;
    this.order = context.getUnchecked(leaf + TreeLayout.ORDER_OFFSET);
  }

  /** Returns whether the next key is the same as another cursor's. */
  public boolean isAt(TxContext context, TreeCursor other) {
    normalise(context);
    other.normalise(context);
    return leaf == other.leaf && index == other.index;
  }

  /** Goes from the end of a leaf to the beginning of the next. */
  private void normalise(TxContext context) {
    while (index == TreeLayout.count(order)) {
      if (context.getUnchecked(leaf + TreeLayout.NEXT_OFFSET) == 0) {
        return;
      }
      enter(context, Tree.node(context, leaf + TreeLayout.NEXT_OFFSET));
      index = 0;
    }
  }

  /** Steps over the next key; returns whether there was one. */
  public boolean next(TxContext context) {
    if (index == TreeLayout.count(order)) {
      normalise(context);
      if (index == TreeLayout.count(order)) {
        return false;
      }
    }
    load(context, index++);
    return true;
  }

  /** Steps back over the previous key; returns whether there was one. */
  public boolean previous(TxContext context) {
    while (index == 0) {
      if (context.getUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET) == 0) {
        return false;
      }
      enter(context, Tree.node(context, leaf + TreeLayout.PREVIOUS_OFFSET));
      index = TreeLayout.count(order);
    }
    load(context, --index);
    return true;
  }

  private void load(TxContext context, int at) {
    long address = leaf + (long) TreeLayout.slot(order, at) * Long.BYTES;
    word = context.getUnchecked(address + TreeLayout.LEAF_KEYS_OFFSET);
    value = context.getUnchecked(address + TreeLayout.VALUES_OFFSET);
  }

  /** Returns the key stepped over last. */
  public Decoder key(TxContext context) {
    return tree.entries().key(context, word, value);
  }

  /** Returns the value stepped over last. */
  public Decoder value(TxContext context) {
    return tree.entries().value(context, value);
  }
}

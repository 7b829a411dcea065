package io.howdah.collections.structure;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.words.Operations;
import org.jspecify.annotations.Nullable;

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

  /** The bytes of the key stepped over last, if they were kept and are more than its word. */
  private byte @Nullable [] kept;

  private final TreeAhead ahead = new TreeAhead();

  /** Where the range ends; null if the tree ends there. */
  private final @Nullable TreeCursor end;

  public TreeCursor(Tree tree) {
    this(tree, null);
  }

  /**
   * Creates a cursor.
   *
   * @param end what lies behind its position is not loaded in advance; null for none
   */
  public TreeCursor(Tree tree, @Nullable TreeCursor end) {
    this.tree = tree;
    this.end = end;
  }

  /** Goes to the only place in a tree that is not there. */
  private boolean isNowhere() {
    if (tree.address() != 0) {
      return false;
    }
    leaf = 0;
    order = 0;
    index = 0;
    ahead.placed();
    return true;
  }

  /** Goes before all keys. */
  public void first(TxContext context) {
    if (isNowhere()) {
      return;
    }
    long node = tree.root(context);
    for (long level = tree.height(context); level > 0; level--) {
      node = Tree.node(context, node + TreeLayout.FIRST_CHILD_OFFSET);
    }
    place(context, node);
    index = 0;
  }

  /** Goes behind all keys. */
  public void last(TxContext context) {
    if (isNowhere()) {
      return;
    }
    long node = tree.root(context);
    for (long level = tree.height(context); level > 0; level--) {
      long inner = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
      node = Tree.child(context, node, inner, TreeLayout.count(inner));
    }
    place(context, node);
    index = TreeLayout.count(order);
  }

  /**
   * Goes before the first key that is not less than the one in the image, or behind that if it is
   * equal.
   */
  public void seek(TxContext context, int keyLength, boolean behindEqual) {
    if (isNowhere()) {
      return;
    }
    long key = tree.entries().keyWord(CollectionScratch.of(context).image, keyLength);
    place(context, tree.findLeaf(context, key, keyLength));
    int found = tree.entries().searchLeaf(context, leaf, order, key, keyLength);
    index = found < 0 ? -1 - found : behindEqual ? found + 1 : found;
  }

  private void place(TxContext context, long leaf) {
    enter(context, leaf);
    ahead.placed();
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
      if (leaf == 0 || context.getUnchecked(leaf + TreeLayout.NEXT_OFFSET) == 0) {
        return;
      }
      enter(context, Tree.node(context, leaf + TreeLayout.NEXT_OFFSET));
      ahead.entered();
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
    if (!ahead.step()) {
      int limit = end != null && end.leaf == leaf ? end.index : TreeLayout.count(order);
      ahead.load(context, tree.entries(), leaf, order, index, limit, 1);
    }
    load(context, index++);
    return true;
  }

  /** Steps back over the previous key; returns whether there was one. */
  public boolean previous(TxContext context) {
    while (index == 0) {
      if (leaf == 0 || context.getUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET) == 0) {
        return false;
      }
      enter(context, Tree.node(context, leaf + TreeLayout.PREVIOUS_OFFSET));
      ahead.entered();
      index = TreeLayout.count(order);
    }
    index--;
    if (!ahead.step()) {
      int limit = end != null && end.leaf == leaf ? end.index : 0;
      ahead.load(context, tree.entries(), leaf, order, index, limit, -1);
    }
    load(context, index);
    return true;
  }

  private void load(TxContext context, int at) {
    kept = null;
    long address = leaf + (long) TreeLayout.slot(order, at) * Long.BYTES;
    word = context.getUnchecked(address + TreeLayout.LEAF_KEYS_OFFSET);
    value = context.getUnchecked(address + TreeLayout.VALUES_OFFSET);
  }

  /** Keeps the key stepped over last, for {@link #seekKept}: its entry may be removed meanwhile. */
  public void keepKey(TxContext context) {
    if (!tree.entries().hasFixedKeys()) {
      kept = key(context).peek();
    }
  }

  /** Goes before the key that was kept, or where it would be, or behind it. */
  public void seekKept(TxContext context, boolean behindEqual) {
    Encoder image = Tree.beginKey(context);
    if (kept != null) {
      image.putBytes(kept);
    } else {
      image.putBigEndianLong(word);
    }
    seek(context, Tree.endKey(context), behindEqual);
  }

  /** Returns the key stepped over last. */
  public Decoder key(TxContext context) {
    byte[] bytes = kept;
    if (bytes != null) {
      Decoder decoder = CollectionScratch.of(context).decoder;
      decoder.wrap(bytes, 0, bytes.length);
      return decoder;
    }
    return tree.entries().key(context, word, value);
  }

  /** Returns the value stepped over last. */
  public Decoder value(TxContext context) {
    return tree.entries().value(context, value);
  }
}

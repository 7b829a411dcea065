package io.howdah.collections.structure;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Operations;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/**
 * A position between two keys of a tree, which moves in either direction. After a change of the
 * tree by this transaction, or a roll-back, the cursor must seek again; see {@link
 * Operations#changes}.
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
   * @param end entries after its position are not preloaded; null for no end
   */
  public TreeCursor(Tree tree, @Nullable TreeCursor end) {
    this.tree = tree;
    this.end = end;
  }

  /** Moves to the only position of a tree that does not exist; returns whether it does not. */
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

  /** Moves before all keys. */
  public void first(Words words) {
    if (isNowhere()) {
      return;
    }
    long node = tree.root(words);
    for (long level = tree.height(words); level > 0; level--) {
      node = Tree.node(words, node + TreeLayout.FIRST_CHILD_OFFSET);
    }
    place(words, node);
    index = 0;
  }

  /** Moves after all keys. */
  public void last(Words words) {
    if (isNowhere()) {
      return;
    }
    long node = tree.root(words);
    for (long level = tree.height(words); level > 0; level--) {
      long inner = words.getUnchecked(node + TreeLayout.ORDER_OFFSET);
      node = Tree.child(words, node, inner, TreeLayout.count(inner));
    }
    place(words, node);
    index = TreeLayout.count(order);
  }

  /**
   * Moves before the first key that is not less than the key in the image, or, if {@code
   * behindEqual} is true and the keys are equal, after it.
   */
  public void seek(Words words, int keyLength, boolean behindEqual) {
    if (isNowhere()) {
      return;
    }
    long key = tree.entries().keyWord(CollectionScratch.of(words).image, keyLength);
    place(words, tree.findLeaf(words, key, keyLength));
    int found = tree.entries().searchLeaf(words, leaf, order, key, keyLength);
    index = found < 0 ? -1 - found : behindEqual ? found + 1 : found;
  }

  private void place(Words words, long leaf) {
    enter(words, leaf);
    ahead.placed();
  }

  private void enter(Words words, long leaf) {
    this.leaf = leaf;
    this.order = words.getUnchecked(leaf + TreeLayout.ORDER_OFFSET);
  }

  /** Returns whether the next key is the same as another cursor's. */
  public boolean isAt(Words words, TreeCursor other) {
    normalise(words);
    other.normalise(words);
    return leaf == other.leaf && index == other.index;
  }

  /** Moves from the end of a leaf to the beginning of the next one. */
  private void normalise(Words words) {
    while (index == TreeLayout.count(order)) {
      if (leaf == 0 || words.getUnchecked(leaf + TreeLayout.NEXT_OFFSET) == 0) {
        return;
      }
      enter(words, Tree.node(words, leaf + TreeLayout.NEXT_OFFSET));
      ahead.entered();
      index = 0;
    }
  }

  /** Steps over the next key; returns whether there was one. */
  public boolean next(Words words) {
    if (index == TreeLayout.count(order)) {
      normalise(words);
      if (index == TreeLayout.count(order)) {
        return false;
      }
    }
    if (!ahead.step()) {
      int limit = end != null && end.leaf == leaf ? end.index : TreeLayout.count(order);
      ahead.load(words, tree.entries(), leaf, order, index, limit, 1);
    }
    load(words, index++);
    return true;
  }

  /** Steps back over the previous key; returns whether there was one. */
  public boolean previous(Words words) {
    while (index == 0) {
      if (leaf == 0 || words.getUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET) == 0) {
        return false;
      }
      enter(words, Tree.node(words, leaf + TreeLayout.PREVIOUS_OFFSET));
      ahead.entered();
      index = TreeLayout.count(order);
    }
    index--;
    if (!ahead.step()) {
      int limit = end != null && end.leaf == leaf ? end.index : 0;
      ahead.load(words, tree.entries(), leaf, order, index, limit, -1);
    }
    load(words, index);
    return true;
  }

  private void load(Words words, int at) {
    kept = null;
    long address = leaf + (long) TreeLayout.slot(order, at) * Long.BYTES;
    word = words.getUnchecked(address + TreeLayout.LEAF_KEYS_OFFSET);
    value = words.getUnchecked(address + TreeLayout.VALUES_OFFSET);
  }

  /** Keeps the key stepped over last, for {@link #seekKept}: its entry may be removed meanwhile. */
  public void keepKey(Words words) {
    if (!tree.entries().hasFixedKeys()) {
      kept = key(words).peek();
    }
  }

  /** Moves before or after the kept key, or to the position where it would be. */
  public void seekKept(Words words, boolean behindEqual) {
    EncodingBuffer image = Tree.beginKey(words);
    if (kept != null) {
      image.putBytes(kept);
    } else {
      image.putBigEndianLong(word);
    }
    seek(words, Tree.endKey(words), behindEqual);
  }

  /** Returns the key stepped over last. */
  public DecodingBuffer key(Words words) {
    byte[] bytes = kept;
    if (bytes != null) {
      DecodingBuffer decoder = CollectionScratch.of(words).decoder;
      decoder.wrap(bytes, 0, bytes.length);
      return decoder;
    }
    return tree.entries().key(words, word, value);
  }

  /** Returns the value stepped over last. */
  public DecodingBuffer value(Words words) {
    return tree.entries().value(words, value);
  }
}

package io.howdah.collections;

import io.howdah.collections.structure.KeyRange;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/** Goes through the keys of a tree in a range, in one of the two directions. Not thread-safe. */
abstract class TreeRangeIterator<E> extends TransactionIterator<E> {

  private final PersistentCollection owner;
  private final KeyRange range;
  private final boolean ascending;
  private final boolean isEmpty;
  private final TreeCursor cursor;

  /** Where the range ends in this direction; null if the tree ends there. */
  private final @Nullable TreeCursor end;

  private long changes;

  /** Whether the cursor has stepped over an element, and kept its key. */
  private boolean hasBegun;

  TreeRangeIterator(
      PersistentCollection owner, Tx tx, Tree tree, KeyRange range, boolean ascending) {
    super(tx);
    this.owner = owner;
    this.range = range;
    this.ascending = ascending;
    this.isEmpty = range.isEmpty();
    this.end = (ascending ? range.to() : range.from()) == null ? null : new TreeCursor(tree);
    this.cursor = new TreeCursor(tree);
    seek(owner.words(tx));
  }

  /** Returns the element of the key that the cursor has stepped over, or null to pass over it. */
  abstract @Nullable E element(Words words, TreeCursor cursor);

  private void seek(Words words) {
    changes = words.operations.changes();
    if (hasBegun) {
      cursor.seekKept(words, ascending);
    } else if (ascending) {
      seekBeginning(words, cursor);
    } else {
      seekEnd(words, cursor);
    }
    if (end != null && ascending) {
      seekEnd(words, end);
    } else if (end != null) {
      seekBeginning(words, end);
    }
  }

  /** Goes before the lowest key of the range. */
  private void seekBeginning(Words words, TreeCursor moved) {
    byte[] from = range.from();
    if (from == null) {
      moved.first(words);
    } else {
      seek(words, moved, from, !range.fromInclusive());
    }
  }

  /** Goes behind the highest key of the range. */
  private void seekEnd(Words words, TreeCursor moved) {
    byte[] to = range.to();
    if (to == null) {
      moved.last(words);
    } else {
      seek(words, moved, to, range.toInclusive());
    }
  }

  private static void seek(Words words, TreeCursor moved, byte[] bytes, boolean behindEqual) {
    Tree.beginKey(words).putBytes(bytes);
    moved.seek(words, Tree.endKey(words), behindEqual);
  }

  /** Returns the stored bytes of the key whose element was returned last. */
  final byte[] stored(Words words) {
    return cursor.key(words).peek();
  }

  @Override
  final @Nullable E advance() {
    E element = null;
    while (element == null) {
      Words words = owner.words(tx);
      if (words.operations.changes() != changes) {
        seek(words);
      }
      if (isEmpty || (end != null && cursor.isAt(words, end))) {
        return null;
      }
      if (!(ascending ? cursor.next(words) : cursor.previous(words))) {
        return null;
      }
      cursor.keepKey(words);
      hasBegun = true;
      element = element(words, cursor);
    }
    return element;
  }
}

package io.howdah.collections;

import io.howdah.collections.structure.KeyRange;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
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
    this.cursor = new TreeCursor(tree, end);
    seek(owner.context(tx));
  }

  /** Returns the element of the key that the cursor has stepped over, or null to pass over it. */
  abstract @Nullable E element(TxContext context, TreeCursor cursor);

  private void seek(TxContext context) {
    changes = context.operations.changes();
    if (hasBegun) {
      cursor.seekKept(context, ascending);
    } else if (ascending) {
      seekBeginning(context, cursor);
    } else {
      seekEnd(context, cursor);
    }
    if (end != null && ascending) {
      seekEnd(context, end);
    } else if (end != null) {
      seekBeginning(context, end);
    }
  }

  /** Goes before the lowest key of the range. */
  private void seekBeginning(TxContext context, TreeCursor moved) {
    byte[] from = range.from();
    if (from == null) {
      moved.first(context);
    } else {
      seek(context, moved, from, !range.fromInclusive());
    }
  }

  /** Goes behind the highest key of the range. */
  private void seekEnd(TxContext context, TreeCursor moved) {
    byte[] to = range.to();
    if (to == null) {
      moved.last(context);
    } else {
      seek(context, moved, to, range.toInclusive());
    }
  }

  private static void seek(TxContext context, TreeCursor moved, byte[] bytes, boolean behindEqual) {
    Tree.beginKey(context).putBytes(bytes);
    moved.seek(context, Tree.endKey(context), behindEqual);
  }

  /** Returns the stored bytes of the key whose element was returned last. */
  final byte[] stored(TxContext context) {
    return cursor.key(context).peek();
  }

  @Override
  final @Nullable E advance() {
    E element = null;
    while (element == null) {
      TxContext context = owner.context(tx);
      if (context.operations.changes() != changes) {
        seek(context);
      }
      if (isEmpty || (end != null && cursor.isAt(context, end))) {
        return null;
      }
      if (!(ascending ? cursor.next(context) : cursor.previous(context))) {
        return null;
      }
      cursor.keepKey(context);
      hasBegun = true;
      element = element(context, cursor);
    }
    return element;
  }
}

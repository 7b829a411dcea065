package io.howdah.collections;

import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Goes through the keys of a tree whose bytes lie between two others. Not thread-safe. */
abstract class TreeRangeIterator<E> extends TransactionIterator<E> {

  private final PersistentCollection owner;
  private final TreeCursor cursor;
  private final TreeCursor end;
  private final byte[] from;
  private final boolean isBehindFrom;
  private final byte @Nullable [] to;
  private long changes;
  private byte @Nullable [] last;

  /**
   * Begins before the first key.
   *
   * @param isBehindFrom whether {@code from} itself is left out
   * @param to exclusive; null for none
   */
  TreeRangeIterator(
      PersistentCollection owner,
      Tx tx,
      Tree tree,
      byte[] from,
      boolean isBehindFrom,
      byte @Nullable [] to) {
    super(tx);
    this.owner = owner;
    this.cursor = new TreeCursor(tree);
    this.end = new TreeCursor(tree);
    this.from = from;
    this.isBehindFrom = isBehindFrom;
    this.to = to;
    seek(owner.context(tx));
  }

  /** Returns the element of the key that the cursor has stepped over. */
  abstract E element(TxContext context, TreeCursor cursor);

  private void seek(TxContext context) {
    changes = context.operations.changes();
    seek(context, cursor, last == null ? from : last, last != null || isBehindFrom);
    if (to != null) {
      seek(context, end, to, false);
    }
  }

  private static void seek(TxContext context, TreeCursor moved, byte[] bytes, boolean behindEqual) {
    Tree.beginKey(context).putBytes(bytes);
    moved.seek(context, Tree.endKey(context), behindEqual);
  }

  @Override
  final @Nullable E advance() {
    TxContext context = owner.context(tx);
    if (context.operations.changes() != changes) {
      seek(context);
    }
    if (isEmpty() || (to != null && cursor.isAt(context, end)) || !cursor.next(context)) {
      return null;
    }
    last = cursor.key(context).peek();
    return element(context, cursor);
  }

  private boolean isEmpty() {
    return to != null && Arrays.compareUnsigned(last == null ? from : last, to) >= 0;
  }

  /** Returns the lowest bytes that are greater than all which begin so, or null if none are. */
  static byte @Nullable [] behind(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (prefix[i] != -1) {
        byte[] behind = Arrays.copyOf(prefix, i + 1);
        behind[i]++;
        return behind;
      }
    }
    return null;
  }
}

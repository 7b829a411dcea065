package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How far the building of a {@link Tree} has come that is an index: a number over a hash map, and
 * the last key over a sorted map. Both are part of the transaction that moves them.
 */
public final class TreeBuild {

  private TreeBuild() {}

  /** Returns the number at which the building goes on. */
  public static long position(TxContext context, Tree tree) {
    return context.getUnchecked(tree.address() + TreeLayout.POSITION_OFFSET);
  }

  /** Sets the number at which the building goes on. */
  public static void position(TxContext context, Tree tree, long position) {
    context.putUnchecked(tree.address() + TreeLayout.POSITION_OFFSET, position);
  }

  /** Returns the key behind which the building goes on; null at its beginning. */
  public static byte @Nullable [] key(TxContext context, Tree tree) {
    long block = context.getUnchecked(tree.address() + TreeLayout.BUILD_KEY_OFFSET);
    if (block == 0) {
      return null;
    }
    int length = TreeEntries.keyLength(context, block);
    byte[] words = new byte[words(length) * Long.BYTES];
    context.getRange(block + KEY_OFFSET, words, 0, words(length));
    return Arrays.copyOf(words, length);
  }

  /** Sets the key behind which the building goes on; null when it has ended. */
  public static void key(TxContext context, Tree tree, byte @Nullable [] key) {
    context.operations.begin();
    long at = tree.address() + TreeLayout.BUILD_KEY_OFFSET;
    long former = context.getUnchecked(at);
    if (former != 0) {
      context.heap.free(former);
    }
    long block = 0;
    if (key != null) {
      int words = words(key.length);
      block = context.heap.allocateUncleared(KEY_OFFSET + (long) words * Long.BYTES);
      context.putUnchecked(block, key.length);
      context.putRange(block + KEY_OFFSET, Arrays.copyOf(key, words * Long.BYTES), 0, words);
    }
    context.putUnchecked(at, block);
    context.operations.end();
  }

  private static int words(int length) {
    return (length + Long.BYTES - 1) / Long.BYTES;
  }
}

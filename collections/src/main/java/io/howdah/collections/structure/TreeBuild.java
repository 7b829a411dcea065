package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How far the building of a {@link Tree} has come that is an index: a number over a hash map, and
 * the last key over a sorted map. Both are part of the transaction that moves them.
 */
public final class TreeBuild {

  private static final String KEY = "the key of an index that is built";

  private TreeBuild() {}

  /** Returns the number at which the build continues. */
  public static long position(Words words, Tree tree) {
    return words.getUnchecked(tree.search().address() + TreeLayout.POSITION_OFFSET);
  }

  /** Sets the number at which the build continues. */
  public static void position(Words words, Tree tree, long position) {
    words.putUnchecked(tree.search().address() + TreeLayout.POSITION_OFFSET, position);
  }

  /** Returns the key after which the build continues; null at its beginning. */
  public static byte @Nullable [] key(Words words, Tree tree) {
    long block = words.getUnchecked(tree.search().address() + TreeLayout.BUILD_KEY_OFFSET);
    if (block == 0) {
      return null;
    }
    StoredNumbers.block(words, block, Long.BYTES, tree.search().address(), KEY);
    int length = EntryLayout.keyLength(words.getUnchecked(block));
    StoredNumbers.length(words, length, EntryLimits.MAX_KEY_BYTES, block, KEY);
    StoredNumbers.end(words, block, KEY_OFFSET + (long) length, KEY);
    byte[] count = new byte[TreeFormat.words(length) * Long.BYTES];
    words.getRange(block + KEY_OFFSET, count, 0, TreeFormat.words(length));
    return Arrays.copyOf(count, length);
  }

  /** Sets the key after which the build continues; null when it has ended. */
  public static void key(Words words, Tree tree, byte @Nullable [] key) {
    words.operations.begin();
    long at = tree.search().address() + TreeLayout.BUILD_KEY_OFFSET;
    long former = words.getUnchecked(at);
    if (former != 0) {
      words.heap.free(former);
    }
    long block = 0;
    if (key != null) {
      int count = TreeFormat.words(key.length);
      block = words.heap.allocateUncleared(KEY_OFFSET + (long) count * Long.BYTES);
      words.putUnchecked(block, key.length);
      words.putRange(block + KEY_OFFSET, Arrays.copyOf(key, count * Long.BYTES), 0, count);
    }
    words.putUnchecked(at, block);
    words.operations.end();
  }
}

package io.howdah.collections.structure;

import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;

/**
 * Preloads the entries that a {@link TreeCursor} will visit: those of one leaf together, so that
 * their cache misses overlap, and the next leaf. A batch has at most the remaining keys of the
 * leaf, or of the range in the leaf. The first element after a seek is not preloaded and the next
 * batch is short, since many cursors return only one or a few elements.
 *
 * <p>All of this is a hint: the cursor later reads leaves and entries with validation. An address
 * is used only if a block can be there, since the image may be damaged, and the address of the next
 * leaf is not validated. Not thread-safe.
 */
final class TreeAhead {

  private static final int LINE_BYTES = 64;

  /** Of a longer entry, the rest is left to the copy that reads it. */
  private static final int MAX_BYTES = 512;

  private static final int MAX_BLOCK_WORDS = MAX_BYTES / LINE_BYTES + 1;
  private static final int GROWTH = 4;

  /** Space for all addresses of a batch. */
  static final int MAX_WORDS = (MAX_KEYS + 1) * MAX_BLOCK_WORDS;

  private int batch = 1;

  /** Elements of the leaf that are loaded and not yet stepped over. */
  private int left;

  /** Called after a seek of the cursor. */
  void placed() {
    batch = 1;
    left = 0;
  }

  /** The cursor has gone to another leaf. */
  void entered() {
    left = 0;
  }

  /** Counts one element; returns whether it has been loaded. */
  boolean step() {
    return --left >= 0;
  }

  /**
   * Loads the next batch, which begins with the element that was counted last.
   *
   * @param from index of that element in the leaf
   * @param limit index after the last key that the cursor may visit; descending, the index of that
   *     key
   */
  void load(
      Words words, TreeEntries entries, long leaf, long order, int from, int limit, int step) {
    int inLeaf = step * (limit - from) + (step < 0 ? 1 : 0);
    int count = Math.clamp(inLeaf, 1, batch);
    left = count - 1;
    if (batch == 1) {
      batch = GROWTH;
      return;
    }
    CollectionScratch scratch = CollectionScratch.of(words);
    long[] addresses = scratch.ahead();
    int bytes = Math.clamp(scratch.treeEntryBytes, Long.BYTES, MAX_BYTES);
    int n = 0;
    if (!entries.hasInlineValues()) {
      for (int i = 0; i < count; i++) {
        long at = leaf + (long) TreeLayout.slot(order, from + i * step) * Long.BYTES;
        n = add(words, words.peek(at + TreeLayout.VALUES_OFFSET), bytes, addresses, n);
      }
    }
    if (count == inLeaf) {
      int neighbour = step > 0 ? TreeLayout.NEXT_OFFSET : TreeLayout.PREVIOUS_OFFSET;
      n = add(words, words.peek(leaf + neighbour), TreeLayout.LEAF_LENGTH, addresses, n);
    }
    words.preload(addresses, n, scratch.aheadSink());
    batch = Math.min(batch * GROWTH, MAX_KEYS);
  }

  /** Adds a word of each cache line of a block, if there can be one; returns how many there are. */
  private static int add(Words words, long block, int bytes, long[] addresses, int count) {
    if (!words.isBlock(block, bytes)) {
      return count;
    }
    int n = count;
    for (int at = 0; at < bytes; at += LINE_BYTES) {
      addresses[n++] = block + at;
    }
    addresses[n++] = block + ((bytes - 1) & -Long.BYTES);
    return n;
  }
}

package io.howdah.collections.structure;

import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Words;

/**
 * Loads the cache lines that operations on several keys of a {@link Tree} will read. It descends
 * for all keys and loads the first lines of their leaves, then searches the leaves and loads the
 * lines of the entries, so that the cache misses of different keys overlap. A hint; see {@link
 * KeysAhead}. Immutable and thread-safe.
 */
final class TreeGroup {

  /** A tree with fewer levels of inner nodes has so few entries that they fit into the caches. */
  private static final int MIN_HEIGHT = 2;

  private static final int LINE_WORDS = 8;

  private final Tree tree;
  private final TreeFormat format;

  TreeGroup(Tree tree, TreeFormat format) {
    this.tree = tree;
    this.format = format;
  }

  /** Returns whether a tree is so large that an operation waits for memory. */
  static boolean isUseful(int height) {
    return height >= MIN_HEIGHT;
  }

  /** Loads leaves and entries. */
  void load(Words words, KeysAhead keys) {
    TreeScratch scratch = CollectionScratch.of(words).tree();
    TreeKey key = scratch.key;
    for (int i = 0; i < keys.count(); i++) {
      format.take(keys.keys, keys.offsets[i], keys.lengths[i], key);
      long leaf = tree.descend(words, scratch, key, 0, false);
      keys.addresses[i] = leaf;
      words.nodes.preload(leaf, 0, TreeNodeLayout.of(leaf).entriesAt);
    }
    for (int i = 0; i < keys.count(); i++) {
      format.take(keys.keys, keys.offsets[i], keys.lengths[i], key);
      loadEntry(words, scratch.inner, key, keys.addresses[i]);
    }
  }

  /** Loads the lines of an entry, or of the units that a new one will probably get. */
  private void loadEntry(Words words, NodeImage image, TreeKey key, long leaf) {
    image.become(leaf);
    TreeNodeLayout layout = image.layout();
    // Not noted: the operation will read the leaf of its key.
    if (!words.nodes.readInner(leaf, 0, layout.entriesAt, image.words, 0)
        || !TreeNodeLayout.isHeader(image.words[0], 0, TreeNodeLayout.tag(tree.address()))
        || image.count() > layout.capacity) {
      return;
    }
    image.search(format.head(key, image));
    int bytes = Math.clamp(CollectionScratch.of(words).treeEntryBytes, 1, layout.bytes);
    int unit =
        image.equal != 0
            ? image.unit(image.below)
            : image.freeRun(Math.min(layout.units(bytes), Long.SIZE));
    int at = layout.word(Math.max(unit, layout.firstUnit));
    if (at < layout.words) {
      int first = at & -LINE_WORDS;
      int end = Math.min(at + (bytes + Long.BYTES - 1 >>> 3), layout.words);
      words.nodes.preload(leaf, first, end - first);
    }
  }
}

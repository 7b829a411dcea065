package io.howdah.collections.structure;

import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Words;

/**
 * Loads the cache lines that operations on several keys of a {@link Tree} will read. It descends
 * for all keys and loads the first lines of their leaves, then searches the leaves and loads the
 * lines of the entries, so that the cache misses of different keys overlap.
 *
 * <p>The loads are hints. The descents are validated, may move the snapshot or end the attempt, and
 * give the leaves of {@link KnownLeaves}. Immutable and thread-safe.
 */
final class TreeGroup {

  /** A tree with fewer levels of inner nodes has so few entries that they fit into the caches. */
  private static final int MIN_HEIGHT = 2;

  private final TreeSearch tree;
  private final TreeFormat format;

  TreeGroup(TreeSearch tree, TreeFormat format) {
    this.tree = tree;
    this.format = format;
  }

  /** Returns whether a tree is so large that an operation waits for memory. */
  static boolean isUseful(int height) {
    return height >= MIN_HEIGHT;
  }

  /** Loads leaves and entries: the lines of all leaves at once, then those of all entries. */
  void load(Words words, KeysAhead keys) {
    TreeScratch scratch = CollectionScratch.of(words).tree();
    if (!format.hasFixedKeys() || !loadInPlace(words, scratch, keys)) {
      load(words, scratch, keys);
    }
  }

  /** Does so for keys of 8 bytes without copies of nodes; returns false if that fails. */
  private boolean loadInPlace(Words words, TreeScratch scratch, KeysAhead keys) {
    int count = keys.count();
    long[] heads = keys.words;
    long[] leaves = keys.addresses;
    for (int i = 0; i < count; i++) {
      heads[i] = TreeNodeLayout.head(keys.keys.bigEndianWord(keys.offsets[i]));
    }
    if (!tree.findInPlace(words, heads, leaves, count)) {
      return false;
    }
    loadHeads(words, keys);
    KnownLeaves known = scratch.known;
    known.begin(tree.address());
    int bytes = Math.max(CollectionScratch.of(words).treeEntryBytes, 1);
    int n = 0;
    for (int i = 0; i < count; i++) {
      long leaf = leaves[i];
      int at = tree.beginLook(words, leaf, heads[i]);
      int free = at == TreeSearch.ABSENT ? freeRun(words, scratch, leaf, bytes) : 0;
      if (at != TreeSearch.UNKNOWN && words.nodes.endLook(false)) {
        known.add(heads[i], leaf, words.nodes.seen(), at);
        int from = Math.max(at, free) * Long.BYTES;
        int end = Math.min(from + bytes, TreeNodeLayout.of(leaf).bytes);
        n = from > 0 ? keys.addLines(NodeLayout.address(leaf) + from, end - from, n) : n;
      }
    }
    words.preloadWords(keys.loads, n, keys.sink);
    return true;
  }

  /**
   * Returns the word of the units that a new entry will probably get in a leaf that is looked at.
   */
  private static int freeRun(Words words, TreeScratch scratch, long leaf, int bytes) {
    NodeImage image = scratch.inner;
    image.become(leaf);
    TreeNodeLayout layout = image.layout();
    for (int i = layout.usedAt; i < layout.nextAt; i++) {
      image.words[i] = words.nodes.word(i);
    }
    int units = Math.min(layout.units(bytes), Long.SIZE);
    return layout.word(Math.max(image.freeRun(units), layout.firstUnit));
  }

  private void load(Words words, TreeScratch scratch, KeysAhead keys) {
    TreeKey key = scratch.key;
    int count = keys.count();
    long snapshot = 0;
    for (int i = 0; i < count; i++) {
      format.take(keys.keys, keys.offsets[i], keys.lengths[i], key);
      long leaf = tree.descend(words, scratch, key, 0, false);
      keys.addresses[i] = NodeLayout.isPossible(leaf, words.capacityBytes()) ? leaf : 0;
      snapshot = i == 0 ? words.snapshot() : snapshot;
    }
    loadHeads(words, keys);
    scratch.known.begin(tree.address());
    int n = 0;
    for (int i = 0; i < count; i++) {
      if (keys.addresses[i] != 0) {
        format.take(keys.keys, keys.offsets[i], keys.lengths[i], key);
        n = addEntry(words, scratch, key, keys.addresses[i], snapshot, keys, n);
      }
    }
    words.preloadWords(keys.loads, n, keys.sink);
  }

  private static void loadHeads(Words words, KeysAhead keys) {
    int n = 0;
    long last = 0;
    for (int i = 0; i < keys.count(); i++) {
      long leaf = keys.addresses[i];
      if (leaf != 0 && leaf != last) {
        n = keys.addLines(NodeLayout.address(leaf), headBytes(leaf), n);
        last = leaf;
      }
    }
    words.preloadWords(keys.loads, n, keys.sink);
    for (int i = 0; i < keys.count(); i++) {
      words.nodes.preload(keys.addresses[i], 0, 1); // the orec
    }
  }

  private static int headBytes(long leaf) {
    return TreeNodeLayout.of(leaf).entriesAt * Long.BYTES;
  }

  /**
   * Adds the lines of an entry, or of the units that a new one will probably get.
   *
   * @param snapshot that of the first descent
   */
  private int addEntry(
      Words words,
      TreeScratch scratch,
      TreeKey key,
      long leaf,
      long snapshot,
      KeysAhead keys,
      int from) {
    NodeImage image = scratch.inner;
    image.become(leaf);
    TreeNodeLayout layout = image.layout();
    // Not noted: the operation will read the leaf of its key. The header is verified because the
    // node may be another one if the snapshot has moved since the descent.
    if (!words.nodes.readInner(leaf, 0, layout.entriesAt, image.words, 0)
        || !TreeNodeLayout.isHeader(image.words[0], 0, TreeNodeLayout.tag(tree.address()))
        || image.count() > layout.capacity) {
      return from;
    }
    // A snapshot that has moved since the first descent, also during a later one, may have a split
    // of the leaf: the leaf would be unchanged at the operation, and not cover the key.
    if (words.snapshot() == snapshot) {
      scratch.known.add(key, leaf, words.nodes.seen());
    }
    image.search(format.head(key, image));
    int bytes = Math.clamp(CollectionScratch.of(words).treeEntryBytes, 1, layout.bytes);
    int unit =
        image.equal != 0
            ? image.unit(image.below)
            : image.freeRun(Math.min(layout.units(bytes), Long.SIZE));
    int at = layout.word(Math.max(unit, layout.firstUnit)) * Long.BYTES;
    int end = Math.min(at + bytes, layout.bytes);
    return at < end ? keys.addLines(NodeLayout.address(leaf) + at, end - at, from) : from;
  }
}

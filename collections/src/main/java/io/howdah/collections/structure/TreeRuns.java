package io.howdah.collections.structure;

import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;

/**
 * Puts encoded entries into a {@link Tree}. Entries side by side in the batch whose keys ascend and
 * belong to one leaf are a <em>run</em>: the leaf is found and read once, takes them in its image,
 * and is written once. So a load in the order of the keys does not search from the root for each
 * key, and fills its leaves completely. All other entries are put one by one.
 *
 * <p>A run is one operation, and no code of the program runs within it. Its leaf is in the read set
 * before its image is used (docs/protocol.md, R39). The image is what the transaction has in the
 * leaf, because nothing else writes to the leaf until the run ends. Immutable and thread-safe.
 */
final class TreeRuns {

  private static final int NO_ENTRY = -1;

  private final TreeSearch tree;
  private final TreeFormat format;
  private final TreeUpdate update;
  private final TreeAppend append;

  TreeRuns(TreeSearch tree, TreeFormat format, TreeUpdate update) {
    this.tree = tree;
    this.format = format;
    this.update = update;
    this.append = new TreeAppend(tree, format, update);
  }

  /**
   * Puts an entry, and those behind it that belong to the same run.
   *
   * @return how many were put; {@link TreeScratch#added} has the number of new keys
   */
  int put(Words words, TreeScratch scratch, EntryBatch batch, int entry) {
    int keyLength = batch.show(entry, CollectionScratch.of(words).image);
    TreeKey key = tree.key(words, scratch, keyLength);
    NodeImage leaf = tree.find(words, scratch, key, false);
    if (batch.isNextGreater(format.hasFixedKeys(), entry)) {
      boolean hasHigh = readHigh(words, scratch, leaf);
      if (!hasHigh && format.hasFixedKeys() && isBehind(leaf, key)) {
        int put = append.put(words, scratch, batch, entry, leaf);
        if (put > 0) {
          scratch.added = put;
          return put;
        }
      }
      if (!hasHigh || batch.isLess(format.hasFixedKeys(), entry + 1, scratch.high)) {
        return putRun(words, scratch, batch, entry, leaf, keyLength, hasHigh);
      }
    }
    scratch.added = update.putFound(words, scratch, leaf, key, keyLength) ? 1 : 0;
    return 1;
  }

  /** Returns whether a key of 8 bytes is greater than all keys of a leaf. */
  private static boolean isBehind(NodeImage leaf, TreeKey key) {
    leaf.search(key.fixed);
    return leaf.below == leaf.count();
  }

  /** Copies the high fence of a leaf to the scratch; returns whether there is one. */
  private boolean readHigh(Words words, TreeScratch scratch, NodeImage leaf) {
    if (!format.hasHigh(leaf)) {
      return false;
    }
    long high = leaf.high();
    if (format.fenceUnits(leaf, high) != 0) {
      int at = (int) TreeNodeLayout.fencePlace(high) / Long.BYTES;
      int count = TreeFormat.words(TreeNodeLayout.fenceLength(high));
      if (at + count <= leaf.layout().words) { // else it is refused below
        TreeSearch.read(words, leaf, at, count);
      }
    }
    format.fence(words, leaf, high, scratch.high);
    return true;
  }

  /**
   * Puts a run, whose first entry is in the image of the scratch.
   *
   * @param leaf read up to its entries
   * @param hasHigh whether the leaf has a high fence, which is in the scratch then
   * @return how many entries were put, at least 1
   */
  private int putRun(
      Words words,
      TreeScratch scratch,
      EntryBatch batch,
      int entry,
      NodeImage leaf,
      int firstKeyLength,
      boolean hasHigh) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    TreeKey key = scratch.key;
    TreeNodeLayout layout = leaf.layout();
    TreeSearch.read(words, leaf, 0, layout.words);
    int before = leaf.count();
    int keyLength = firstKeyLength;
    int last = NO_ENTRY; // the index of the entry that was put before
    int from = 0; // the words of entries that are still to be written
    int end = 0;
    for (int next = entry; ; ) {
      // Behind the last key there is nothing to search.
      boolean isBehind = last != NO_ENTRY && last == leaf.count() - 1;
      int index = isBehind ? -1 - leaf.count() : tree.indexOfRead(words, scratch, leaf, key);
      boolean isNew = index < 0;
      int formerAt = isNew ? 0 : format.entry(words, leaf, index);
      int formerUnits = isNew ? 0 : layout.units(format.entryBytes(words, leaf, formerAt));
      if (isNew) {
        format.encode(words, scratch, keyLength);
      } else {
        format.encodeReplacing(words, scratch, keyLength, leaf, formerAt);
      }
      format.retake(image, keyLength, key);
      int units = layout.units(scratch.entryBytes);
      int at = isNew ? place(words, leaf, units) : units == formerUnits ? formerAt : -1;
      next++;
      if (at < 0) {
        writeEntries(words, leaf, from, end);
        writeHead(words, leaf, before);
        scratch.added = leaf.count() - before + (isNew ? 1 : 0);
        if (isNew) { // packs the leaf, or splits it
          update.insert(words, scratch, leaf, 0, key, -1 - index, false);
        } else {
          update.replaceEncoded(words, scratch, leaf, key, index, formerAt, formerUnits);
        }
        return next - entry;
      }
      last = isNew ? -1 - index : index;
      if (isNew) {
        leaf.insert(last, at >>> (layout.unitShift - 3), units, format.head(key, leaf));
      }
      TreeFormat.putBytes(scratch.entry, scratch.entryOffset, scratch.entryBytes, leaf.words, at);
      if (at != end) {
        writeEntries(words, leaf, from, end);
        from = at;
      }
      end = at + units * (1 << (layout.unitShift - 3));
      boolean isFollowed =
          batch.isNextGreater(format.hasFixedKeys(), next - 1)
              && (!hasHigh || batch.isLess(format.hasFixedKeys(), next, scratch.high));
      if (!isFollowed) {
        writeEntries(words, leaf, from, end);
        writeHead(words, leaf, before);
        scratch.added = leaf.count() - before;
        return next - entry;
      }
      keyLength = batch.show(next, image);
      key = tree.key(words, scratch, keyLength);
    }
  }

  /** Returns the word where a new entry has space in a leaf, or -1. */
  private static int place(Words words, NodeImage leaf, int units) {
    TreeNodeLayout layout = leaf.layout();
    int unit = leaf.count() < layout.capacity ? TreeUpdate.freeRun(words, leaf, units) : -1;
    return unit < 0 ? -1 : layout.word(unit);
  }

  private static void writeEntries(Words words, NodeImage leaf, int from, int end) {
    if (end > from) {
      words.nodes.write(leaf.node(), from, leaf.words, from, end - from);
    }
  }

  /** Writes header, order, bits of the units, and the new heads, if there are some. */
  private static void writeHead(Words words, NodeImage leaf, int before) {
    int count = leaf.count() - before;
    if (count > 0) {
      Nodes nodes = words.nodes;
      nodes.write(leaf.node(), 0, leaf.words, 0, leaf.layout().nextAt);
      int head = leaf.layout().headsAt + before;
      nodes.write(leaf.node(), head, leaf.words, head, count);
    }
  }
}

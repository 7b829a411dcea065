package io.howdah.collections.structure;

import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;

/**
 * Puts encoded entries behind the last key of a {@link Tree} with keys of 8 bytes: builds its
 * leaves from the left to the right. An entry goes from the batch to its place in the image of the
 * last leaf. A full leaf is written, with the reference of the next one, which begins with the next
 * entry. So nothing is searched for an entry, and nothing is moved.
 *
 * <p>All of it is one operation, and no code of the program runs within it. The last leaf is in the
 * read set before its image is used, and each leaf that gets a high fence is written
 * (docs/protocol.md, R39).
 *
 * <p>What runs for each entry works on arrays and calls little: most loads are in a JVM that has
 * compiled nothing of it yet. Immutable and thread-safe.
 */
final class TreeAppend {

  private static final long NO_SNAPSHOT = -1;

  private final TreeSearch tree;
  private final TreeFormat format;
  private final TreeUpdate update;

  TreeAppend(TreeSearch tree, TreeFormat format, TreeUpdate update) {
    this.tree = tree;
    this.format = format;
    this.update = update;
  }

  /**
   * Puts entries of a batch as long as their keys ascend.
   *
   * @param entry the first of them, whose key is greater than all keys of the tree
   * @param leaf the last leaf of the tree, read up to its entries
   * @return how many were put; 0 if it takes another way to put the first one, since it is too long
   *     for a leaf, or the leaf has space between its entries, or a longer leaf is to replace it
   */
  int put(Words words, TreeScratch scratch, EntryBatch batch, int entry, NodeImage leaf) {
    int unit = leaf.endUnit();
    if (unit < leaf.layout().firstUnit || leaf.freeUnits() != leaf.layout().units - unit) {
      return 0;
    }
    int before = leaf.count();
    boolean isNew = false;
    int from = entry;
    while (true) {
      int next = fill(batch, from, leaf, unit);
      boolean isFollowed =
          next < batch.count()
              && (next == from || batch.isNextGreater(true, next - 1))
              && isInLeaf(batch, next);
      if (!isFollowed || mayGrow(words, leaf)) {
        if (next > from) {
          write(words, leaf, unit, before, isNew);
        }
        return next - entry;
      }
      long head = batch.head(next);
      long right = words.heap.allocateNode(leafBytes(batch, from, next));
      leaf.next(right);
      leaf.high(head);
      write(words, leaf, unit, before, isNew);
      TreeKey separator = scratch.separators[0];
      separator.setFixed(head);
      update.insertChild(words, scratch, 1, separator, right);
      scratch.snapshot = NO_SNAPSHOT; // the parent of the next leaf may be another node
      leaf.clear(right, 0, TreeNodeLayout.tag(tree.address()));
      leaf.low(head);
      leaf.high(format.noHigh());
      unit = leaf.layout().firstUnit;
      before = 0;
      isNew = true;
      from = next;
    }
  }

  /**
   * Adds entries to the image of a leaf, as long as their keys ascend and there is space.
   *
   * @param unit the first unit behind the entries of the leaf
   * @return the number of the first entry that was not added
   */
  private int fill(EntryBatch batch, int from, NodeImage leaf, int unit) {
    TreeNodeLayout layout = leaf.layout();
    int entries = batch.count();
    int count = leaf.count();
    int free = unit;
    int next = from;
    while (next < entries
        && count < layout.capacity
        && (next == from || batch.isNextGreater(true, next - 1))
        && isInLeaf(batch, next)) {
      int units = layout.units(format.leafEntryBytes(batch.valueLength(next)));
      if (free + units > layout.units) {
        break;
      }
      leaf.append(count, free, batch.head(next));
      format.putLeafEntry(
          batch.bytes(),
          batch.valueOffset(next),
          batch.valueLength(next),
          leaf.words,
          layout.word(free),
          layout.word(free + units));
      free += units;
      count++;
      next++;
    }
    leaf.extend(count, unit, free);
    return next;
  }

  private boolean isInLeaf(EntryBatch batch, int entry) {
    return format.leafEntryBytes(batch.valueLength(entry)) <= TreeNodeLayout.MAX_ENTRY_BYTES;
  }

  /** Returns whether a full leaf may be replaced by a longer one: {@link TreeUpdate} decides. */
  private boolean mayGrow(Words words, NodeImage leaf) {
    return leaf.layout() == TreeNodeLayout.MIDDLE && update.isRoot(words, leaf);
  }

  /** Returns how long the leaf is that begins with an entry; those before it are in its size. */
  private int leafBytes(EntryBatch batch, int from, int next) {
    int bytes = 0;
    for (int entry = from; entry <= next; entry++) {
      bytes += format.leafEntryBytes(batch.valueLength(entry));
    }
    return format.leafBytes(bytes, next + 1 - from);
  }

  /**
   * Writes a leaf, from the image.
   *
   * @param unit the first unit that memory does not have
   * @param before how many heads it has
   * @param isNew whether it has nothing of the leaf
   */
  private static void write(Words words, NodeImage leaf, int unit, int before, boolean isNew) {
    Nodes nodes = words.nodes;
    TreeNodeLayout layout = leaf.layout();
    int heads = layout.headsAt;
    int count = leaf.count();
    if (isNew) {
      nodes.write(leaf.node(), 0, leaf.words, 0, heads + count);
    } else {
      nodes.write(leaf.node(), 0, leaf.words, 0, heads);
      if (count > before) {
        nodes.write(leaf.node(), heads + before, leaf.words, heads + before, count - before);
      }
    }
    int from = layout.word(unit);
    int end = layout.word(leaf.endUnit());
    if (end > from) {
      nodes.write(leaf.node(), from, leaf.words, from, end - from);
    }
  }
}

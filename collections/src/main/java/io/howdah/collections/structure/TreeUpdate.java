package io.howdah.collections.structure;

import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;

/**
 * Changes the nodes of a {@link Tree}. A new entry writes the changed words of a leaf. A full leaf
 * is packed or splits: the upper half goes into a new node, and the lower half stays where it is.
 * Removals merge nodes that have few entries with a neighbour under the same parent; the left one
 * of the two stays. They allocate nothing.
 *
 * <p>Every node that is changed is noted before: read by {@link Nodes#read}. Each change of the
 * keys that a node covers writes this node (docs/protocol.md, R39).
 *
 * <p>Immutable and thread-safe.
 */
final class TreeUpdate {

  /** Leaves whose entries have this many bytes in the mean have 4 KiB. */
  static final int LARGE_MEAN_BYTES = 64;

  /** A full node is packed and not split if this part of its space is free afterwards. */
  private static final int PACKED_PART = 8;

  /** A node with at most this part of the entries that it has space for may be merged. */
  private static final int SMALL_PART = 4;

  private static final int NONE = Integer.MAX_VALUE;
  private static final int NO_ROOM = -1;
  private static final long NO_SNAPSHOT = -1;

  private final TreeSearch tree;
  private final TreeFormat format;

  TreeUpdate(TreeSearch tree, TreeFormat format) {
    this.tree = tree;
    this.format = format;
  }

  // ---- Putting.

  /** Puts the key and value in the image; returns whether the key is new. */
  boolean put(Words words, int keyLength) {
    TreeScratch scratch = CollectionScratch.of(words).tree();
    TreeKey key = tree.key(words, scratch, keyLength);
    if (!format.hasFixedKeys()) {
      NodeImage leaf = tree.find(words, scratch, key, false);
      return putFound(words, scratch, leaf, key, keyLength);
    }
    int number = scratch.known.take(tree.address(), key, true);
    NodeImage leaf;
    if (number >= 0) {
      int at = TreeSearch.beginKnownLook(words, scratch.known, number);
      if (isReplaced(words, scratch, scratch.known.leaf(number), at, keyLength)) {
        return false;
      }
      leaf = tree.findKnown(words, scratch, key, number);
    } else {
      long reached = tree.descend(words, scratch, key, 0, false);
      int at = tree.beginLook(words, reached, key.fixed);
      if (isReplaced(words, scratch, reached, at, keyLength)) {
        return false;
      }
      leaf = tree.read(words, scratch, key, false, reached);
    }
    return putFound(words, scratch, leaf, key, keyLength);
  }

  /**
   * Replaces the entry of a key of 8 bytes by the one in the image, if it is in the leaf and both
   * take as many units, without a copy of the leaf.
   *
   * @param leaf looked at, if {@code at} does not say otherwise
   * @param at the word of the entry, or as in {@link TreeSearch#beginLook}
   * @return false if nothing has changed
   */
  private boolean isReplaced(Words words, TreeScratch scratch, long leaf, int at, int keyLength) {
    int bytes = format.inlineBytes(CollectionScratch.of(words).image, keyLength);
    if (at < 0 || bytes < 0) {
      return false;
    }
    TreeNodeLayout layout = TreeNodeLayout.of(leaf);
    Nodes nodes = words.nodes;
    int entryWords = TreeFormat.words(bytes);
    nodes.preload(at, Math.min(entryWords, layout.words - at));
    int former = format.inlineBytes(nodes.word(at));
    if (former < 0
        || layout.units(former) != layout.units(bytes)
        || at + entryWords > layout.words
        || !nodes.endLook(true)) {
      return false;
    }
    format.encode(words, scratch, keyLength);
    nodes.writeBytes(leaf, at, scratch.entry, scratch.entryOffset, entryWords);
    return true;
  }

  /**
   * Puts the key and value in the image into their leaf; returns whether the key is new.
   *
   * @param leaf read up to its entries, or all of it
   */
  boolean putFound(Words words, TreeScratch scratch, NodeImage leaf, TreeKey key, int keyLength) {
    int index = tree.index(words, scratch, leaf, key);
    if (index >= 0) {
      replace(words, scratch, leaf, key, keyLength, index);
      return false;
    }
    format.encode(words, scratch, keyLength);
    format.retake(CollectionScratch.of(words).image, keyLength, key);
    insert(words, scratch, leaf, 0, key, -1 - index, false);
    return true;
  }

  private void replace(
      Words words, TreeScratch scratch, NodeImage leaf, TreeKey key, int keyLength, int index) {
    int at = format.entry(words, leaf, index);
    readReferences(words, leaf, at);
    int oldUnits = leaf.layout().units(format.entryBytes(words, leaf, at));
    format.encodeReplacing(words, scratch, keyLength, leaf, at);
    format.retake(CollectionScratch.of(words).image, keyLength, key);
    replaceEncoded(words, scratch, leaf, key, index, at, oldUnits);
  }

  /**
   * Puts the encoded entry in the place of another one.
   *
   * @param index of the other one
   * @param at its word
   */
  void replaceEncoded(
      Words words,
      TreeScratch scratch,
      NodeImage leaf,
      TreeKey key,
      int index,
      int at,
      int oldUnits) {
    int units = leaf.layout().units(scratch.entryBytes);
    if (units == oldUnits) {
      writeEntry(words, scratch, leaf, at);
      return;
    }
    int oldUnit = leaf.unit(index);
    leaf.free(oldUnit, oldUnits);
    int unit = freeRun(words, leaf, units);
    leaf.use(oldUnit, oldUnits);
    if (unit < 0) {
      TreeSearch.read(words, leaf, 0, leaf.layout().words);
      int _ = leaf.remove(index, oldUnits, format.head(key, leaf));
      insert(words, scratch, leaf, 0, key, index, true);
      return;
    }
    leaf.move(index, oldUnits, unit, units);
    int order = TreeNodeLayout.ORDER_AT + (index >>> 3);
    words.nodes.write(leaf.node(), order, leaf.words, order, 1);
    int first = Math.min(unit, oldUnit);
    int end = Math.max(unit + units, oldUnit + oldUnits);
    writeUsed(words, leaf, first, end - first);
    writeEntry(words, scratch, leaf, leaf.layout().word(unit));
  }

  /** Reads the lengths of an entry of a leaf, and the addresses of its blocks if it has some. */
  private void readReferences(Words words, NodeImage leaf, int at) {
    if (format.hasWordValues()) {
      return;
    }
    TreeSearch.read(words, leaf, at, Math.min(2, leaf.layout().words - at));
    int count = format.referencesWords(leaf, at);
    if (count > 2 && count <= leaf.layout().words - at) {
      TreeSearch.read(words, leaf, at, count);
    }
  }

  /**
   * Inserts the encoded entry into a node.
   *
   * @param node read up to its entries, or all of it
   * @param isChanged whether the image, all of which is read, differs from the node already
   */
  void insert(
      Words words,
      TreeScratch scratch,
      NodeImage node,
      int level,
      TreeKey key,
      int index,
      boolean isChanged) {
    TreeNodeLayout layout = node.layout();
    int count = node.count();
    int units = layout.units(scratch.entryBytes);
    int unit = count < layout.capacity ? freeRun(words, node, units) : NO_ROOM;
    if (unit >= 0) {
      node.insert(index, unit, units, format.head(key, node));
      if (isChanged) {
        words.nodes.write(node.node(), 0, node.words, 0, layout.headsAt + count + 1);
      } else {
        writeInserted(words, node, index, count, unit, units);
      }
      writeEntry(words, scratch, node, layout.word(unit));
      return;
    }
    if (!isChanged) {
      TreeSearch.read(words, node, 0, layout.words);
    }
    int spare = (layout.units - layout.firstUnit) / PACKED_PART;
    if (count < layout.capacity && node.freeUnits() - units >= spare) {
      node.sortedHeads(scratch.heads);
      repack(words, scratch, node, level, key, index, count + 1);
    } else if (!grow(words, scratch, node, level, key, index)) {
      split(words, scratch, node, level, key, index);
    }
  }

  /**
   * Returns the first of some free units side by side of a node, {@link #NO_ROOM} if there are
   * none. In a damaged node, units before the entries may be free: nothing is written there.
   */
  static int freeRun(Words words, NodeImage node, int units) {
    int unit = node.freeRun(units);
    if (unit >= 0 && unit < node.layout().firstUnit) {
      throw TreeFormat.damaged(words, node.node(), "the units in use of a node of a tree");
    }
    return unit;
  }

  /** Writes the words of a node that an insertion has changed, but its entry. */
  private static void writeInserted(
      Words words, NodeImage node, int index, int count, int unit, int units) {
    Nodes nodes = words.nodes;
    long reference = node.node();
    int first = TreeNodeLayout.ORDER_AT + (index >>> 3);
    int last = TreeNodeLayout.ORDER_AT + (count >>> 3);
    if (first > TreeNodeLayout.ORDER_AT + 1) { // a row has a head of one word
      nodes.write(reference, 0, node.words[0]);
      nodes.write(reference, first, node.words, first, last - first + 1);
    } else {
      nodes.write(reference, 0, node.words, 0, last + 1);
    }
    writeUsed(words, node, unit, units);
    int head = node.layout().headsAt + count;
    nodes.write(reference, head, node.words[head]);
  }

  /** Writes the words with the bits of some units. */
  private static void writeUsed(Words words, NodeImage node, int unit, int units) {
    int first = node.layout().usedAt + (unit >>> 6);
    int last = node.layout().usedAt + ((unit + units - 1) >>> 6);
    words.nodes.write(node.node(), first, node.words, first, last - first + 1);
  }

  private static void writeEntry(Words words, TreeScratch scratch, NodeImage node, int at) {
    words.nodes.writeBytes(
        node.node(), at, scratch.entry, scratch.entryOffset, TreeFormat.words(scratch.entryBytes));
  }

  /** Writes all words of a node that have a meaning. */
  private static void writeAll(Words words, NodeImage node) {
    TreeNodeLayout layout = node.layout();
    words.nodes.write(node.node(), 0, node.words, 0, layout.headsAt + node.count());
    int end = layout.word(node.endUnit());
    int from = layout.entriesAt;
    if (end > from) {
      words.nodes.write(node.node(), from, node.words, from, end - from);
    }
  }

  // ---- Building.

  /**
   * Places the key of a fence in the image of a node.
   *
   * @param block one that has the key, or 0
   * @return the fence, or {@link #NO_ROOM}; keys of 8 bytes always have room, and any number is the
   *     fence of one
   */
  private long place(Words words, NodeImage node, TreeKey key, long block) {
    if (format.hasFixedKeys()) {
      return key.fixed;
    }
    if (key.length == 0) {
      return 0;
    }
    if (key.length > TreeNodeLayout.MAX_KEY_BYTES) {
      long place = block != 0 ? block : TreeFormat.newBlock(words, key);
      return TreeNodeLayout.fence(key.length, place);
    }
    TreeNodeLayout layout = node.layout();
    int units = layout.units(key.length);
    int unit = freeRun(words, node, units);
    if (unit < 0) {
      return NO_ROOM;
    }
    node.use(unit, units);
    TreeFormat.putKey(key, node.words, layout.word(unit));
    return TreeNodeLayout.fence(key.length, (long) unit << layout.unitShift);
  }

  /** Unmarks the units of a fence. */
  private void unplace(NodeImage node, long fence) {
    int units = format.fenceUnits(node, fence);
    if (units != 0) {
      int unit = (int) TreeNodeLayout.fencePlace(fence) >>> node.layout().unitShift;
      node.free(unit, units);
    }
  }

  /** Begins a node between two fences, which the caller has placed in blocks if they are there. */
  private void begin(
      Words words,
      NodeImage node,
      long reference,
      int level,
      long next,
      TreeKey low,
      long lowBlock,
      TreeKey high,
      long highBlock,
      boolean hasHigh) {
    node.clear(reference, level, TreeNodeLayout.tag(tree.address()));
    node.next(next);
    node.low(place(words, node, low, lowBlock));
    node.high(hasHigh ? place(words, node, high, highBlock) : format.noHigh());
    node.prefix(prefix(low, high, hasHigh));
  }

  private int prefix(TreeKey low, TreeKey high, boolean hasHigh) {
    return format.hasFixedKeys() || !hasHigh ? 0 : low.commonPrefix(high);
  }

  /**
   * Appends entries of a node to one that is built. {@link TreeScratch#heads} has the heads of the
   * node in their order.
   *
   * @param from index of the first, if the encoded entry were in the node
   * @param index where the encoded entry with the key would be, or {@link #NONE}
   */
  private void append(
      Words words,
      TreeScratch scratch,
      NodeImage source,
      NodeImage target,
      int from,
      int to,
      int index,
      TreeKey key) {
    boolean hasHeads = format.hasFixedKeys() || source.prefix() == target.prefix();
    for (int i = from; i < to; i++) {
      if (i == index) {
        appendEncoded(words, scratch, target, key);
        continue;
      }
      int old = i < index ? i : i - 1;
      int at = format.entry(words, source, old);
      int bytes = format.entryBytes(words, source, at);
      long head = scratch.heads[old];
      if (!hasHeads) {
        format.key(words, source, at, scratch.probe);
        head = scratch.probe.head(target.prefix());
      }
      int word = append(words, target, head, bytes);
      System.arraycopy(source.words, at, target.words, word, TreeFormat.words(bytes));
    }
  }

  private void appendEncoded(Words words, TreeScratch scratch, NodeImage target, TreeKey key) {
    int word = append(words, target, format.head(key, target), scratch.entryBytes);
    TreeFormat.putBytes(scratch.entry, scratch.entryOffset, scratch.entryBytes, target.words, word);
  }

  /** Adds an entry behind all others; returns its word. */
  private static int append(Words words, NodeImage target, long head, int bytes) {
    TreeNodeLayout layout = target.layout();
    int units = layout.units(bytes);
    int unit = target.count() < layout.capacity ? target.freeRun(units) : NO_ROOM;
    if (unit < 0) { // only what is damaged does not fit
      throw TreeFormat.damaged(words, target.node(), "the entries of a node of a tree");
    }
    target.insert(target.count(), unit, units, head);
    return layout.word(unit);
  }

  /**
   * Writes a node anew, with its entries side by side.
   *
   * @param entries how many of its entries stay, the encoded one included
   */
  private void repack(
      Words words,
      TreeScratch scratch,
      NodeImage node,
      int level,
      TreeKey key,
      int index,
      int entries) {
    long low = node.low();
    format.fence(words, node, low, scratch.low);
    boolean hasHigh = format.hasHigh(node);
    if (hasHigh) {
      format.fence(words, node, node.high(), scratch.high);
    }
    NodeImage built = scratch.built;
    begin(
        words,
        built,
        node.node(),
        level,
        node.next(),
        scratch.low,
        format.fenceBlock(low),
        scratch.high,
        format.fenceBlock(node.high()),
        hasHigh);
    append(words, scratch, node, built, 0, entries, index, key);
    writeAll(words, built);
  }

  // ---- Splitting.

  /** Puts the entries of a leaf that is the whole tree into a longer one, if they are long. */
  private boolean grow(
      Words words, TreeScratch scratch, NodeImage leaf, int level, TreeKey key, int index) {
    if (level > 0 || leaf.layout() != TreeNodeLayout.MIDDLE || !isRoot(words, leaf)) {
      return false;
    }
    int entries = leaf.count() + 1;
    if (sizes(words, scratch, leaf, index) < entries * LARGE_MEAN_BYTES
        || entries > TreeNodeLayout.LARGE.capacity) {
      return false;
    }
    long grown = words.heap.allocateNode(TreeNodeLayout.LARGE.bytes);
    leaf.sortedHeads(scratch.heads);
    NodeImage built = scratch.built;
    built.clear(grown, 0, TreeNodeLayout.tag(tree.address()));
    built.low(format.lowest());
    built.high(format.noHigh());
    append(words, scratch, leaf, built, 0, entries, index, key);
    writeAll(words, built);
    root(words, grown, 0);
    words.heap.freeNode(leaf.node());
    return true;
  }

  /** Returns whether a leaf is the whole tree. */
  boolean isRoot(Words words, NodeImage leaf) {
    return tree.root(words) == TreeLayout.root(leaf.node(), 0);
  }

  private void root(Words words, long node, int height) {
    words.putUnchecked(tree.address() + TreeLayout.ROOT_OFFSET, TreeLayout.root(node, height));
  }

  /** Fills in the sizes of all entries, with the encoded one among them; returns their sum. */
  private int sizes(Words words, TreeScratch scratch, NodeImage node, int index) {
    int entries = node.count() + 1;
    int total = 0;
    for (int i = 0; i < entries; i++) {
      int bytes = scratch.entryBytes;
      if (i != index) {
        int at = format.entry(words, node, i < index ? i : i - 1);
        bytes = format.entryBytes(words, node, at);
      }
      scratch.units[i] = node.layout().units(bytes);
      total += bytes;
    }
    return total;
  }

  /** Returns how many entries stay in the left one of two nodes: about half of the space. */
  private static int half(TreeScratch scratch, int entries) {
    int total = 0;
    for (int i = 0; i < entries; i++) {
      total += scratch.units[i];
    }
    int kept = 0;
    int units = 0;
    while (kept < entries - 1 && 2 * units + scratch.units[kept] <= total) {
      units += scratch.units[kept++];
    }
    return Math.max(kept, 1);
  }

  private void split(
      Words words, TreeScratch scratch, NodeImage left, int level, TreeKey key, int index) {
    int count = left.count();
    int totalBytes = sizes(words, scratch, left, index);
    boolean hasHigh = format.hasHigh(left);
    left.sortedHeads(scratch.heads);
    TreeKey separator = scratch.separators[level & 1];
    // A key behind all others gets a node of its own, so ascending keys fill the nodes.
    int kept = index == count && !hasHigh ? count : half(scratch, count + 1);
    separate(words, scratch, left, level, key, index, kept, separator);
    if (kept == count && !hasRoomFor(left, 0, separator)) {
      // The last entry follows: where it was is room for the fence, if its key is not in a block.
      kept = Math.max(count - 1, 1);
      separate(words, scratch, left, level, key, index, kept, separator);
      if (!hasRoomFor(left, scratch.units[count - 1], separator)) {
        kept = half(scratch, count + 1);
        separate(words, scratch, left, level, key, index, kept, separator);
      }
    }
    boolean isLong = totalBytes >= (count + 1) * LARGE_MEAN_BYTES;
    int bytes = level == 0 ? leafBytes(scratch, left, kept, isLong) : format.innerBytes();
    long right = words.heap.allocateNode(bytes);
    long high = left.high();
    if (hasHigh) {
      format.fence(words, left, high, scratch.high);
    }
    NodeImage built = scratch.built;
    begin(
        words,
        built,
        right,
        level,
        left.next(),
        separator,
        0,
        scratch.high,
        format.fenceBlock(high),
        hasHigh);
    append(words, scratch, left, built, kept, count + 1, index, key);
    writeAll(words, built);
    keep(words, scratch, left, level, key, index, kept, separator, right);
    insertChild(words, scratch, level + 1, separator, right);
  }

  /**
   * Returns whether a node has space for a fence that is added to its entries.
   *
   * @param units how many of its units in use become free before
   */
  private boolean hasRoomFor(NodeImage node, int units, TreeKey fence) {
    return format.hasFixedKeys()
        || fence.length > TreeNodeLayout.MAX_KEY_BYTES
        || node.layout().units(fence.length) <= node.freeUnits() + units;
  }

  /** Returns how long the leaf is that takes the upper entries of another one. */
  private int leafBytes(TreeScratch scratch, NodeImage left, int kept, boolean isLong) {
    if (format.hasWordValues()) {
      return TreeNodeLayout.SMALL.bytes;
    }
    int units = 0;
    for (int i = kept; i <= left.count(); i++) {
      units += scratch.units[i];
    }
    TreeNodeLayout middle = TreeNodeLayout.MIDDLE;
    int space = middle.bytes - middle.entriesAt * Long.BYTES - 2 * TreeNodeLayout.MAX_KEY_BYTES;
    boolean isMiddle = !isLong && (units << left.layout().unitShift) <= space;
    return isMiddle ? middle.bytes : TreeNodeLayout.LARGE.bytes;
  }

  /** Finds the key between two halves of a node. */
  private void separate(
      Words words,
      TreeScratch scratch,
      NodeImage node,
      int level,
      TreeKey key,
      int index,
      int kept,
      TreeKey separator) {
    keyAt(words, scratch, node, key, index, kept, scratch.high);
    if (level > 0 || format.hasFixedKeys()) {
      separator.copy(scratch.high);
    } else {
      keyAt(words, scratch, node, key, index, kept - 1, scratch.low);
      separator.separate(scratch.low, scratch.high);
    }
  }

  /** Copies the key that an entry has, if the encoded one were in the node. */
  private void keyAt(
      Words words,
      TreeScratch scratch,
      NodeImage node,
      TreeKey key,
      int index,
      int wanted,
      TreeKey target) {
    if (wanted == index) {
      target.copy(key);
      return;
    }
    int old = wanted < index ? wanted : wanted - 1;
    if (format.hasFixedKeys()) {
      target.setFixed(scratch.heads[old]);
    } else {
      format.key(words, node, format.entry(words, node, old), target);
    }
  }

  /**
   * Takes the upper entries out of a node that splits, and inserts the encoded entry if it belongs
   * to the others.
   */
  private void keep(
      Words words,
      TreeScratch scratch,
      NodeImage left,
      int level,
      TreeKey key,
      int index,
      int kept,
      TreeKey separator,
      long right) {
    TreeNodeLayout layout = left.layout();
    boolean hasEncoded = index < kept;
    int old = hasEncoded ? kept - 1 : kept;
    for (int i = old; i < left.count(); i++) {
      int at = format.entry(words, left, i);
      left.free(left.unit(i), layout.units(format.entryBytes(words, left, at)));
    }
    unplace(left, left.high());
    left.truncate(old);
    left.next(right);
    format.fence(words, left, left.low(), scratch.low);
    int prefix = prefix(scratch.low, separator, true);
    for (int i = 0; i < old; i++) {
      long head = scratch.heads[i];
      if (prefix != left.prefix()) {
        format.key(words, left, format.entry(words, left, i), scratch.probe);
        head = scratch.probe.head(prefix);
      }
      left.words[layout.headsAt + i] = head;
      scratch.heads[i] = head;
    }
    left.prefix(prefix);
    left.high(0);
    long fence = place(words, left, separator, 0);
    left.high(fence);
    int units = layout.units(scratch.entryBytes);
    boolean isPlaced = format.hasFixedKeys() || fence != NO_ROOM;
    int unit = hasEncoded && isPlaced ? freeRun(words, left, units) : 0;
    if (!isPlaced || unit < 0) {
      keepPacked(words, scratch, left, level, key, hasEncoded ? index : NONE, kept, separator);
      return;
    }
    if (hasEncoded) {
      left.insert(index, unit, units, format.head(key, left));
      writeEntry(words, scratch, left, layout.word(unit));
    }
    words.nodes.write(left.node(), 0, left.words, 0, layout.headsAt + left.count());
    int fenceUnits = format.fenceUnits(left, fence);
    if (fenceUnits != 0) {
      int at = (int) TreeNodeLayout.fencePlace(fence) / Long.BYTES;
      words.nodes.write(left.node(), at, left.words, at, TreeFormat.words(separator.length));
    }
  }

  /**
   * Writes the lower entries of a node that splits anew, since they leave no run that is needed.
   */
  private void keepPacked(
      Words words,
      TreeScratch scratch,
      NodeImage left,
      int level,
      TreeKey key,
      int index,
      int kept,
      TreeKey separator) {
    NodeImage built = scratch.built;
    begin(
        words,
        built,
        left.node(),
        level,
        left.next(),
        scratch.low,
        format.fenceBlock(left.low()),
        separator,
        left.high() == NO_ROOM ? 0 : format.fenceBlock(left.high()),
        true);
    append(words, scratch, left, built, 0, kept, index, key);
    writeAll(words, built);
  }

  /** Adds a node to the level above. */
  void insertChild(Words words, TreeScratch scratch, int level, TreeKey separator, long child) {
    long root = tree.root(words);
    int height = TreeLayout.height(root);
    if (level > height) {
      newRoot(words, scratch, level, TreeLayout.rootNode(root), separator, child);
      return;
    }
    NodeImage node = scratch.node;
    read(words, scratch, node, separator, level);
    int index = tree.index(words, scratch, node, separator);
    if (index >= 0) {
      throw TreeFormat.damaged(words, node.node(), "a key of an inner node of a tree");
    }
    format.encodeChild(words, scratch, separator, child);
    insert(words, scratch, node, level, separator, -1 - index, false);
  }

  private void newRoot(
      Words words, TreeScratch scratch, int level, long left, TreeKey separator, long right) {
    if (level > TreeLayout.MAX_HEIGHT) {
      throw words.inconsistentRead(tree.address(), "the height of a tree");
    }
    long root = words.heap.allocateNode(format.innerBytes());
    NodeImage built = scratch.built;
    built.clear(root, level, TreeNodeLayout.tag(tree.address()));
    built.low(format.lowest());
    built.high(format.noHigh());
    scratch.low.setFixed(format.lowest()); // as any key, the empty one
    format.encodeChild(words, scratch, scratch.low, left);
    appendEncoded(words, scratch, built, scratch.low);
    format.encodeChild(words, scratch, separator, right);
    appendEncoded(words, scratch, built, separator);
    writeAll(words, built);
    root(words, root, level);
  }

  /** Reads and notes the node for a key in a level. */
  private void read(Words words, TreeScratch scratch, NodeImage node, TreeKey key, int level) {
    do {
      if (words.snapshot() != scratch.snapshot) {
        long _ = tree.descend(words, scratch, key, level, false);
      }
      node.become(scratch.path[level]);
    } while (!words.nodes.read(node.node(), 0, node.layout().words, node.words, 0));
    tree.require(words, node, level);
  }

  // ---- Room.

  /** See {@link Tree#hasRoom}. */
  boolean hasRoom(Words words, int keyLength) {
    CollectionScratch buffers = CollectionScratch.of(words);
    TreeScratch scratch = buffers.tree();
    TreeKey key = tree.key(words, scratch, keyLength);
    NodeImage leaf = tree.find(words, scratch, key, false);
    int valueLength = buffers.image.length() - Long.BYTES - keyLength;
    boolean isInBlock = Integer.BYTES + valueLength > TreeNodeLayout.MAX_ENTRY_BYTES;
    int entryBytes = isInBlock ? 2 * Long.BYTES : Integer.BYTES + valueLength;
    boolean isFull =
        leaf.count() == leaf.layout().capacity || leaf.freeRun(leaf.layout().units(entryBytes)) < 0;
    int height = TreeLayout.height(tree.root(words));
    long value = isInBlock ? words.heap.allocateUnclearedIfRoom(valueLength) : 0;
    if (isInBlock && value == 0) {
      return false;
    }
    boolean hasRoom = !isFull || hasRoomForSplit(words, height);
    if (isInBlock) {
      words.heap.free(value);
    }
    return hasRoom;
  }

  /**
   * Returns whether there is room for a leaf of either length, a node in each level above it, and a
   * new root.
   */
  private boolean hasRoomForSplit(Words words, int height) {
    long[] nodes = new long[height + 3];
    int count = 0;
    while (count < nodes.length) {
      int bytes = format.innerBytes();
      if (count < 2) {
        bytes = count == 0 ? TreeNodeLayout.LARGE.bytes : format.firstLeafBytes();
      }
      long node = words.heap.allocateNodeIfRoom(bytes);
      if (node == 0) {
        break;
      }
      nodes[count++] = node;
    }
    boolean hasRoom = count == nodes.length;
    while (count > 0) {
      words.heap.freeNode(nodes[--count]);
    }
    return hasRoom;
  }

  // ---- Removing.

  /** Removes the key in the image; returns whether it was there. */
  boolean remove(Words words, int keyLength) {
    TreeScratch scratch = CollectionScratch.of(words).tree();
    TreeKey key = tree.key(words, scratch, keyLength);
    NodeImage leaf = tree.find(words, scratch, key, false);
    int index = tree.index(words, scratch, leaf, key);
    if (index < 0) {
      return false;
    }
    int at = format.entry(words, leaf, index);
    readReferences(words, leaf, at);
    int units = leaf.layout().units(format.entryBytes(words, leaf, at));
    long keyBlock = format.keyBlock(leaf, at);
    long valueBlock = format.valueBlock(leaf, at);
    remove(words, leaf, index, units, format.head(key, leaf));
    if (keyBlock != 0) {
      words.heap.free(keyBlock);
    }
    if (valueBlock != 0) {
      words.heap.free(valueBlock);
    }
    shrink(words, scratch, key, 0, leaf.count(), leaf.layout().capacity);
    return true;
  }

  /** Removes an entry from a node, whose blocks the caller frees. */
  private static void remove(Words words, NodeImage node, int index, int units, long head) {
    int unit = node.unit(index);
    int last = node.count() - 1;
    int moved = node.remove(index, units, head);
    Nodes nodes = words.nodes;
    long reference = node.node();
    int first = TreeNodeLayout.ORDER_AT + (index >>> 3);
    int end = TreeNodeLayout.ORDER_AT + (last >>> 3) + 1;
    if (first > TreeNodeLayout.ORDER_AT + 1) {
      nodes.write(reference, 0, node.words[0]);
      nodes.write(reference, first, node.words, first, end - first);
    } else {
      nodes.write(reference, 0, node.words, 0, end);
    }
    writeUsed(words, node, unit, units);
    if (moved >= 0) {
      nodes.write(reference, moved, node.words[moved]);
    }
  }

  /** Merges a node that has few entries, and then those above it. */
  private void shrink(
      Words words, TreeScratch scratch, TreeKey key, int level, int count, int capacity) {
    // Some counts only: a node with full neighbours does not look at them after each removal.
    if (count > capacity / SMALL_PART || Integer.bitCount(count) > 1) {
      return;
    }
    int height = TreeLayout.height(tree.root(words));
    if (level >= height) {
      if (count == 1 && level > 0) {
        lower(words, scratch);
      }
      return;
    }
    if (!merge(words, scratch, key, level)) {
      boolean isOnly = scratch.node.count() == 1; // the parent
      if (!isOnly || level + 1 >= height || !merge(words, scratch, key, level + 1)) {
        return;
      }
      boolean _ = merge(words, scratch, key, level);
      read(words, scratch, scratch.node, key, level + 2);
      shrinkRead(words, scratch, key, level + 2);
      return;
    }
    shrinkRead(words, scratch, key, level + 1);
  }

  /** Does the same for the node that was changed last. */
  private void shrinkRead(Words words, TreeScratch scratch, TreeKey key, int level) {
    NodeImage node = scratch.node;
    shrink(words, scratch, key, level, node.count(), node.layout().capacity);
  }

  /**
   * Merges the node for a key in a level with a neighbour under the same parent, if both fit into
   * one. The parent is in {@link TreeScratch#node} afterwards.
   */
  private boolean merge(Words words, TreeScratch scratch, TreeKey key, int level) {
    NodeImage parent = scratch.node;
    read(words, scratch, parent, key, level + 1);
    int index = tree.index(words, scratch, parent, key);
    int child = index >= 0 ? index : -2 - index;
    if (child < 0) {
      throw TreeFormat.damaged(words, parent.node(), "the first key of an inner node of a tree");
    }
    return (child + 1 < parent.count() && merge(words, scratch, parent, level, child))
        || (child > 0 && merge(words, scratch, parent, level, child - 1));
  }

  /** Merges two children side by side if they fit. */
  private boolean merge(Words words, TreeScratch scratch, NodeImage parent, int level, int index) {
    NodeImage left = scratch.neighbour;
    NodeImage right = scratch.inner;
    left.become(TreeFormat.child(parent, format.entry(words, parent, index)));
    right.become(TreeFormat.child(parent, format.entry(words, parent, index + 1)));
    TreeSearch.read(words, left, 0, left.layout().words);
    tree.require(words, left, level);
    TreeSearch.read(words, right, 0, right.layout().words);
    tree.require(words, right, level);
    if (!fits(words, left, right)) {
      return false;
    }
    long high = right.high();
    boolean hasHigh = format.hasHigh(right);
    if (hasHigh) {
      format.fence(words, right, high, scratch.high);
    }
    format.fence(words, left, left.low(), scratch.low);
    long formerHigh = format.fenceBlock(left.high());
    long formerLow = format.fenceBlock(right.low());
    NodeImage built = scratch.built;
    begin(
        words,
        built,
        left.node(),
        level,
        right.next(),
        scratch.low,
        format.fenceBlock(left.low()),
        scratch.high,
        format.fenceBlock(high),
        hasHigh);
    left.sortedHeads(scratch.heads);
    append(words, scratch, left, built, 0, left.count(), NONE, scratch.low);
    right.sortedHeads(scratch.heads);
    append(words, scratch, right, built, 0, right.count(), NONE, scratch.low);
    writeAll(words, built);
    if (formerHigh != 0) {
      words.heap.free(formerHigh);
    }
    if (formerLow != 0) {
      words.heap.free(formerLow);
    }
    int at = format.entry(words, parent, index + 1);
    long keyBlock = format.keyBlock(parent, at);
    int units = parent.layout().units(format.entryBytes(words, parent, at));
    parent.sortedHeads(scratch.heads);
    remove(words, parent, index + 1, units, scratch.heads[index + 1]);
    if (keyBlock != 0) {
      words.heap.free(keyBlock);
    }
    words.heap.freeNode(right.node());
    scratch.snapshot = NO_SNAPSHOT; // the path may lead to that node
    return true;
  }

  /** Returns whether the entries of two nodes fit into the left one, with some space to spare. */
  private boolean fits(Words words, NodeImage left, NodeImage right) {
    TreeNodeLayout layout = left.layout();
    int count = left.count() + right.count();
    int units =
        units(words, left, layout)
            + units(words, right, layout)
            + format.fenceUnits(left, left.low());
    if (format.hasHigh(right)) {
      units += format.fenceUnits(left, right.high());
    }
    int space = layout.units - layout.firstUnit;
    boolean isSmall = left.count() == 0 || right.count() <= 1;
    return isSmall
        ? count <= layout.capacity && units <= space
        : 4 * count <= 3 * layout.capacity && 4 * units <= 3 * space;
  }

  /** Returns how many units the entries of a node take in a node with a layout. */
  private int units(Words words, NodeImage node, TreeNodeLayout layout) {
    int units = 0;
    for (int i = 0; i < node.count(); i++) {
      units += layout.units(format.entryBytes(words, node, format.entry(words, node, i)));
    }
    return units;
  }

  /** Removes the levels at the top whose only node has one child. */
  private void lower(Words words, TreeScratch scratch) {
    NodeImage node = scratch.node;
    long root = tree.root(words);
    long top = TreeLayout.rootNode(root);
    int height = TreeLayout.height(root);
    while (height > 0) {
      node.become(top);
      TreeSearch.read(words, node, 0, node.layout().words);
      tree.require(words, node, height);
      if (node.count() != 1) {
        break;
      }
      long child = TreeFormat.child(node, format.entry(words, node, 0));
      words.heap.freeNode(top);
      top = child;
      height--;
    }
    root(words, top, height);
    scratch.snapshot = NO_SNAPSHOT; // the path is another one
  }
}

package io.howdah.collections.structure;

import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads the nodes of a {@link Tree}, for all that read or change it.
 *
 * <p>A descent reads inner nodes at the snapshot of the transaction and does not note them; it
 * notes the leaf. If the snapshot moves during a descent, it begins again from the root. A leaf
 * that is noted and covers the key proves what the operation has found (docs/protocol.md, R39).
 * Thread-safe, but for {@link #move}.
 */
final class TreeSearch {

  /** Words that the lengths and the key of an entry take at most. */
  private static final int KEY_WORDS = (2 * Long.BYTES + TreeNodeLayout.MAX_KEY_BYTES) / Long.BYTES;

  /** In place of the word of an entry: the leaf does not have the key. */
  static final int ABSENT = -1;

  /** In place of the word of an entry: it is not known, or the leaf must be read by a copy. */
  static final int UNKNOWN = -2;

  private static final long NO_SNAPSHOT = -1;
  private static final int MOVED = Integer.MIN_VALUE;

  /** The address of the header; 0 if there is none yet. */
  private long tree;

  private final TreeFormat format;
  private final TreeGuide guide;

  TreeSearch(long tree, TreeFormat format) {
    this.tree = tree;
    this.format = format;
    this.guide = new TreeGuide(this);
  }

  /** The header is at another address, of a tree with the same lengths; or there is none. */
  void move(long address) {
    tree = address;
    guide.clear();
  }

  /** Returns the address of the tree. */
  long address() {
    return tree;
  }

  TreeFormat format() {
    return format;
  }

  TreeGuide guide() {
    return guide;
  }

  // ---- Descents.

  /** Returns the word with the root and the height. */
  long root(Words words) {
    long root = words.getUnchecked(tree + TreeLayout.ROOT_OFFSET);
    if (TreeLayout.height(root) > TreeLayout.MAX_HEIGHT || TreeLayout.rootNode(root) == 0) {
      throw words.inconsistentRead(tree, "the tree at address " + tree);
    }
    return root;
  }

  /** Takes the key in the scratch for an operation. */
  TreeKey key(Words words, TreeScratch scratch, int keyLength) {
    format.take(CollectionScratch.of(words).image, keyLength, scratch.key);
    return scratch.key;
  }

  /**
   * Reads the leaf for a key up to its entries.
   *
   * @param key null for the last leaf
   * @param isBelow whether it is the leaf for what is less than the key, and not for the key
   */
  NodeImage find(Words words, TreeScratch scratch, @Nullable TreeKey key, boolean isBelow) {
    if (key != null && !isBelow) {
      int number = scratch.known.take(tree, key, format.hasFixedKeys());
      if (number >= 0) {
        return findKnown(words, scratch, key, number);
      }
    }
    return read(words, scratch, key, isBelow, descend(words, scratch, key, 0, isBelow));
  }

  /**
   * Reads the leaf for a key up to its entries.
   *
   * @param number that of the leaf among those that are known
   */
  NodeImage findKnown(Words words, TreeScratch scratch, TreeKey key, int number) {
    return isKnown(words, scratch, number, scratch.node)
        ? scratch.node
        : read(words, scratch, key, false, descend(words, scratch, key, 0, false));
  }

  /**
   * Reads the leaf for a key up to its entries.
   *
   * @param reached the leaf that a descent within the present snapshot has led to
   */
  NodeImage read(
      Words words, TreeScratch scratch, @Nullable TreeKey key, boolean isBelow, long reached) {
    NodeImage leaf = scratch.node;
    leaf.become(reached);
    while (!words.nodes.read(leaf.node(), 0, leaf.layout().entriesAt, leaf.words, 0)) {
      leaf.become(descend(words, scratch, key, 0, isBelow));
    }
    require(words, leaf, 0);
    return leaf;
  }

  /** Reads a known leaf up to its entries if it has not changed. */
  private boolean isKnown(Words words, TreeScratch scratch, int number, NodeImage leaf) {
    leaf.become(scratch.known.leaf(number));
    long seen = scratch.known.seen(number);
    int count = leaf.layout().entriesAt;
    if (!words.nodes.readKnown(leaf.node(), seen, 0, count, leaf.words, 0)) {
      return false;
    }
    scratch.snapshot = -1; // the path leads elsewhere
    return true;
  }

  /** Returns the node for a key in a level. It is not read yet; the ones above are in the path. */
  long descend(
      Words words, TreeScratch scratch, @Nullable TreeKey key, int target, boolean isBelow) {
    boolean isFixed = format.hasFixedKeys();
    TreeKey guided = isFixed && target == 0 && !isBelow ? key : null;
    if (guided != null) {
      long leaf = guided(words, guided.fixed);
      if (leaf != 0) {
        scratch.snapshot = NO_SNAPSHOT; // there is no path
        return leaf;
      }
    }
    while (true) {
      long root = root(words);
      if (guided != null && guide.isWanted(TreeLayout.height(root))) {
        guide.make(words, scratch);
        continue;
      }
      long snapshot = words.snapshot();
      scratch.snapshot = snapshot;
      long node = TreeLayout.rootNode(root);
      int level = TreeLayout.height(root);
      while (level > target && node != 0) {
        scratch.path[level] = node;
        long child =
            isFixed && key != null ? childInPlace(words, node, level, key.fixed, isBelow) : 0;
        if (child != 0 && level == 1 && guided != null) {
          guide.reached(guided.fixed, node, words.nodes.seen());
        }
        node = child != 0 ? child : child(words, scratch, node, level, key, isBelow);
        level--;
      }
      if (node != 0) {
        scratch.path[level] = node;
        return node;
      }
    }
  }

  /**
   * Returns the child of an inner node for a key of 8 bytes, without a copy of the node; 0 if the
   * node cannot be read so, or may be damaged.
   */
  private long childInPlace(Words words, long node, int level, long head, boolean isBelow) {
    return words.nodes.beginLook(node) ? childOfLooked(words.nodes, node, level, head, isBelow) : 0;
  }

  /** Returns the leaf for a key of 8 bytes if the guide leads to it, otherwise 0. */
  private long guided(Words words, long head) {
    long node = guide.beginLook(words, head);
    return node != 0 ? childOfLooked(words.nodes, node, 1, head, false) : 0;
  }

  /** Returns the child of an inner node for a key of 8 bytes, and ends the look at the node. */
  private long childOfLooked(Nodes nodes, long node, int level, long head, boolean isBelow) {
    TreeNodeLayout layout = TreeNodeLayout.of(node);
    long header = nodes.word(0);
    int count = TreeNodeLayout.count(header);
    if (count > layout.capacity
        || !TreeNodeLayout.isHeader(header, level, TreeNodeLayout.tag(tree))) {
      return 0;
    }
    long rank = nodes.rank(layout.headsAt, count, head);
    int index = (int) rank + (isBelow ? 0 : (int) (rank >>> Integer.SIZE)) - 1;
    if (index < 0) {
      return 0;
    }
    int unit = TreeNodeLayout.unit(nodes.word(TreeNodeLayout.orderAt(index)), index);
    if (unit < layout.firstUnit || unit >= layout.units) {
      return 0;
    }
    long child = nodes.word(layout.word(unit));
    return nodes.endLook(false) ? child : 0;
  }

  /** Returns the child of an inner node for a key; 0 if the snapshot has moved. */
  private long child(
      Words words,
      TreeScratch scratch,
      long node,
      int level,
      @Nullable TreeKey key,
      boolean isBelow) {
    NodeImage inner = scratch.inner;
    inner.become(node);
    Nodes nodes = words.nodes;
    if (!nodes.readInner(node, 0, inner.layout().entriesAt, inner.words, 0)) {
      return 0;
    }
    require(words, inner, level);
    int index = key == null ? inner.count() - 1 : childIndex(words, scratch, inner, key, isBelow);
    if (index == MOVED) {
      return 0;
    }
    int at = format.entry(words, inner, index);
    if (!nodes.readInner(node, at, 1, inner.words, at)) {
      return 0;
    }
    long child = TreeFormat.child(inner, at);
    if (child == 0) {
      throw TreeFormat.damaged(words, node, "a node of the tree at address " + tree);
    }
    return child;
  }

  /**
   * Returns the index of the child for a key in an inner node whose heads are read, or {@link
   * #MOVED} if the snapshot has moved meanwhile.
   */
  private int childIndex(
      Words words, TreeScratch scratch, NodeImage inner, TreeKey key, boolean isBelow) {
    long head = format.head(key, inner);
    inner.search(head);
    int less = inner.below;
    if (format.isWhole(head)) {
      less += isBelow ? 0 : inner.equal;
    } else if (inner.equal != 0) {
      int low = less;
      int high = less + inner.equal - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        int at = format.entry(words, inner, middle);
        int count = Math.min(KEY_WORDS, inner.layout().words - at);
        if (!words.nodes.readInner(inner.node(), at, count, inner.words, at)) {
          return MOVED;
        }
        format.key(words, inner, at, scratch.probe);
        if (words.snapshot() != scratch.snapshot) {
          return MOVED; // the key was in a block, and its node was not noted
        }
        int comparison = scratch.probe.compareTo(key);
        if (comparison < 0 || (comparison == 0 && !isBelow)) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      less = low;
    }
    if (less == 0) {
      throw TreeFormat.damaged(words, inner.node(), "a node of the tree at address " + tree);
    }
    return less - 1;
  }

  /**
   * Finds the leaves of keys of 8 bytes within one snapshot, without copies of nodes.
   *
   * @param leaves receives their references
   * @return false if they are not all found so
   */
  boolean findInPlace(Words words, long[] heads, long[] leaves, int count) {
    long snapshot = words.snapshot();
    for (int i = 0; i < count; i++) {
      long leaf = guided(words, heads[i]);
      leaves[i] = leaf != 0 ? leaf : descendInPlace(words, heads[i]);
      if (leaves[i] == 0) {
        return false;
      }
    }
    return words.snapshot() == snapshot;
  }

  /** Returns the leaf for a key of 8 bytes; 0 if not all nodes above it can be read in place. */
  private long descendInPlace(Words words, long head) {
    long root = root(words);
    int height = TreeLayout.height(root);
    long node = TreeLayout.rootNode(root);
    for (int level = height; level > 0 && node != 0; level--) {
      long child = childInPlace(words, node, level, head, false);
      if (child != 0 && level == 1) {
        guide.reached(head, node, words.nodes.seen());
      }
      node = child;
    }
    return node;
  }

  /**
   * Reads all of an inner node without a note.
   *
   * @return how many children it has; 0 if it is not an inner node of this tree in a level, or has
   *     no place for a child; -1 if the snapshot has moved
   */
  int readSound(Words words, NodeImage inner, int level) {
    if (!words.nodes.readInner(inner.node(), 0, inner.layout().words, inner.words, 0)) {
      return -1;
    }
    int count = inner.count();
    if (!TreeNodeLayout.isHeader(inner.words[0], level, TreeNodeLayout.tag(tree))
        || count > inner.layout().capacity) {
      return 0;
    }
    for (int i = 0; i < count; i++) {
      if (inner.entry(i) < 0) {
        return 0;
      }
    }
    return count;
  }

  /** Requires what was read to be a node of this tree in a level. */
  void require(Words words, NodeImage image, int level) {
    long header = image.words[0];
    int count = TreeNodeLayout.count(header);
    if (!TreeNodeLayout.isHeader(header, level, TreeNodeLayout.tag(tree))
        || count > image.layout().capacity
        || (level > 0 && count == 0)) {
      throw TreeFormat.damaged(words, image.node(), "a node of the tree at address " + tree);
    }
  }

  /**
   * Requires a word to be the header of a leaf of this tree.
   *
   * @return the number of its entries
   */
  int requireLeaf(Words words, long leaf, long header) {
    int count = TreeNodeLayout.count(header);
    if (!TreeNodeLayout.isHeader(header, 0, TreeNodeLayout.tag(tree))
        || count > TreeNodeLayout.of(leaf).capacity) {
      throw TreeFormat.damaged(words, leaf, "a node of the tree at address " + tree);
    }
    return count;
  }

  /**
   * Returns the index of a key in a node that is noted, and read up to its entries. If it is not
   * there, returns -1 less the index at which it would be inserted.
   */
  int index(Words words, TreeScratch scratch, NodeImage node, TreeKey key) {
    return index(words, scratch, node, key, false);
  }

  /**
   * Returns the index of a key as {@link #index} does, in a node all of which is read, and whose
   * image may differ from it.
   */
  int indexOfRead(Words words, TreeScratch scratch, NodeImage node, TreeKey key) {
    return index(words, scratch, node, key, true);
  }

  private int index(Words words, TreeScratch scratch, NodeImage node, TreeKey key, boolean isRead) {
    long head = format.head(key, node);
    node.search(head);
    if (node.equal == 0) {
      return -1 - node.below;
    }
    if (format.isWhole(head)) {
      return node.below;
    }
    int low = node.below;
    int high = low + node.equal - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int at = format.entry(words, node, middle);
      if (!isRead) {
        read(words, node, at, Math.min(KEY_WORDS, node.layout().words - at));
      }
      format.key(words, node, at, scratch.probe);
      int comparison = scratch.probe.compareTo(key);
      if (comparison == 0) {
        return middle;
      }
      if (comparison < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1 - low;
  }

  /** Reads words of a node that is noted. */
  static void read(Words words, NodeImage image, int at, int count) {
    while (!words.nodes.read(image.node(), at, count, image.words, at)) {
      // The snapshot has moved; the node is the same.
    }
  }

  // ---- Entries of leaves.

  /**
   * Begins a look at a leaf and searches it for a key of 8 bytes.
   *
   * @return the word of its entry; {@link #ABSENT} if the leaf does not have the key; {@link
   *     #UNKNOWN} if the leaf cannot be read so, or may be damaged: then there is no look
   */
  int beginLook(Words words, long leaf, long head) {
    Nodes nodes = words.nodes;
    if (!nodes.beginLook(leaf)) {
      return UNKNOWN;
    }
    TreeNodeLayout layout = TreeNodeLayout.of(leaf);
    long header = nodes.word(0);
    int count = TreeNodeLayout.count(header);
    if (count > layout.capacity || !TreeNodeLayout.isHeader(header, 0, TreeNodeLayout.tag(tree))) {
      return UNKNOWN;
    }
    long rank = nodes.rank(layout.headsAt, count, head);
    if (rank >>> Integer.SIZE == 0) {
      return ABSENT;
    }
    int index = (int) rank;
    int unit = TreeNodeLayout.unit(nodes.word(TreeNodeLayout.orderAt(index)), index);
    return unit < layout.firstUnit || unit >= layout.units ? UNKNOWN : layout.word(unit);
  }

  /** Begins a look at a known leaf; for the result see {@link #beginLook}. */
  static int beginKnownLook(Words words, KnownLeaves known, int number) {
    return words.nodes.beginLook(known.leaf(number), known.seen(number))
        ? known.entry(number)
        : UNKNOWN;
  }

  /**
   * Copies an entry of a leaf that is looked at, and notes the leaf.
   *
   * @param at the word of the entry, or that there is none, or no look
   * @return the length of the entry; {@link #ABSENT} if there is none; {@link #UNKNOWN} if the leaf
   *     cannot be read so, or may be damaged
   */
  int entryInPlace(Words words, CollectionScratch buffers, long leaf, int at) {
    Nodes nodes = words.nodes;
    if (at < 0) {
      return at == ABSENT && nodes.endLook(true) ? ABSENT : UNKNOWN;
    }
    TreeNodeLayout layout = TreeNodeLayout.of(leaf);
    int left = layout.words - at;
    int likely = Math.clamp(TreeFormat.words(buffers.treeEntryBytes), Math.min(left, 2), left);
    byte[] bytes = buffers.entryOfTree();
    nodes.bytes(at, likely, bytes);
    if (!nodes.endLook(true)) {
      return UNKNOWN;
    }
    int length = format.entryBytes(words, leaf, bytes, 0);
    buffers.treeEntryBytes = length;
    return length <= likely * Long.BYTES ? length : UNKNOWN;
  }

  /** Returns the words of an entry of a leaf that is noted: all of them, and maybe more. */
  byte[] readEntry(Words words, long leaf, int at) {
    CollectionScratch buffers = CollectionScratch.of(words);
    int left = TreeNodeLayout.of(leaf).words - at;
    int likely = TreeFormat.words(buffers.treeEntryBytes);
    int count = Math.clamp(likely, Math.min(left, 2), left);
    byte[] bytes = buffers.entryOfTree();
    readBytes(words, leaf, at, count, bytes);
    int length = format.entryBytes(words, leaf, bytes, 0);
    if (length > count * Long.BYTES) {
      int needed = TreeFormat.words(length);
      if (needed > left) {
        throw TreeFormat.damaged(words, leaf, "an entry of a leaf of a tree");
      }
      readBytes(words, leaf, at, needed, bytes);
    }
    buffers.treeEntryBytes = length;
    return bytes;
  }

  private static void readBytes(Words words, long leaf, int at, int count, byte[] target) {
    while (!words.nodes.readBytes(leaf, at, count, target, 0)) {
      // The snapshot has moved; the leaf is the same.
    }
  }
}

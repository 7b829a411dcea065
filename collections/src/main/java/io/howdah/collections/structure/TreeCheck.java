package io.howdah.collections.structure;

import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Verifies every node of a {@link Tree}: what one transaction sees of it. A first difference from
 * {@link TreeNodeLayout} is reported as damage.
 */
final class TreeCheck {

  private final Words words;
  private final TreeSearch tree;
  private final TreeFormat format;

  /** For each level, the reference to which the node that was verified last leads. */
  private final long[] next;

  /** For each level, whether a node was verified. */
  private final boolean[] hasBegun;

  private long entries;

  private TreeCheck(Words words, TreeSearch tree, int height) {
    this.words = words;
    this.tree = tree;
    this.format = tree.format();
    this.next = new long[height + 1];
    this.hasBegun = new boolean[height + 1];
  }

  /**
   * Verifies a tree.
   *
   * @param size how many entries its counters say
   * @throws io.howdah.core.CorruptStoreException if a node is damaged
   */
  static void check(Words words, TreeSearch tree, long size) {
    long root = tree.root(words);
    int height = TreeLayout.height(root);
    TreeCheck check = new TreeCheck(words, tree, height);
    TreeKey lowest = new TreeKey();
    lowest.setFixed(check.format.lowest()); // as any key, the empty one
    check.node(TreeLayout.rootNode(root), height, lowest, null);
    for (long last : check.next) {
      check.require(last == 0, root, "what follows the last node of a level");
    }
    if (size != check.entries) {
      throw words.inconsistentRead(
          tree.address(),
          "the number of entries of the tree, %d for %d,".formatted(size, check.entries));
    }
  }

  private void require(boolean isTrue, long node, String what) {
    if (!isTrue) {
      throw words.inconsistentRead(
          NodeLayout.address(node), what + " of the tree at " + tree.address());
    }
  }

  /**
   * Verifies a node and what is below it.
   *
   * @param low its low fence
   * @param high its high fence, null for none
   */
  private void node(long node, int level, TreeKey low, @Nullable TreeKey high) {
    require(words.heap.isNode(node), node, "a node that is not in use");
    NodeImage image = new NodeImage();
    image.become(node);
    TreeSearch.read(words, image, 0, image.layout().words);
    tree.require(words, image, level);
    require(!hasBegun[level] || next[level] == node, node, "the order of nodes");
    hasBegun[level] = true;
    next[level] = image.next();
    fences(image, low, high);
    TreeKey[] keys = TreeWalk.keys(words, format, image);
    heads(image, keys);
    order(image, keys, level, low, high);
    used(image);
    if (level == 0) {
      entries += image.count();
      return;
    }
    for (int i = 0; i < keys.length; i++) {
      long child = TreeFormat.child(image, format.entry(words, image, i));
      node(child, level - 1, keys[i], i + 1 < keys.length ? keys[i + 1] : high);
    }
  }

  private void fences(NodeImage image, TreeKey low, @Nullable TreeKey high) {
    TreeKey key = new TreeKey();
    format.fence(words, image, image.low(), key);
    require(format.isEqual(key, low), image.node(), "the low fence of a node");
    require(format.hasHigh(image) == (high != null), image.node(), "the high fence of a node");
    int prefix = 0;
    if (high != null) {
      format.fence(words, image, image.high(), key);
      require(format.isEqual(key, high), image.node(), "the high fence of a node");
      prefix = format.hasFixedKeys() ? 0 : low.commonPrefix(high);
    }
    require(image.prefix() == prefix, image.node(), "the prefix of a node");
  }

  private void heads(NodeImage image, TreeKey[] keys) {
    long[] heads = new long[keys.length];
    image.sortedHeads(heads);
    long[] expected = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      expected[i] = format.head(keys[i], image);
    }
    require(Arrays.equals(heads, expected), image.node(), "the heads of a node");
  }

  private void order(
      NodeImage image, TreeKey[] keys, int level, TreeKey low, @Nullable TreeKey high) {
    if (keys.length != 0) {
      boolean isFirst = level == 0 ? !format.isLess(keys[0], low) : format.isEqual(keys[0], low);
      require(isFirst, image.node(), "the first key of a node");
    }
    if (high != null && keys.length != 0) {
      require(format.isLess(keys[keys.length - 1], high), image.node(), "the last key of a node");
    }
  }

  /** Entries and fences are disjoint, and exactly their units are in use. */
  private void used(NodeImage image) {
    TreeNodeLayout layout = image.layout();
    NodeImage expected = new NodeImage();
    expected.clear(image.node(), 0, 0);
    for (int i = 0; i < image.count(); i++) {
      int at = format.entry(words, image, i);
      use(expected, image.unit(i), layout.units(format.entryBytes(words, image, at)));
    }
    for (long fence : new long[] {image.low(), image.high()}) {
      int units = format.fenceUnits(image, fence);
      if (units != 0) {
        int unit = (int) TreeNodeLayout.fencePlace(fence) >>> layout.unitShift;
        require(unit >= layout.firstUnit, image.node(), "the place of a fence of a node");
        use(expected, unit, units);
      }
    }
    boolean isEqual =
        Arrays.equals(
            image.words,
            layout.usedAt,
            layout.nextAt,
            expected.words,
            layout.usedAt,
            layout.nextAt);
    require(isEqual, image.node(), "the units in use of a node");
  }

  private void use(NodeImage expected, int unit, int units) {
    int before = expected.freeUnits();
    expected.use(unit, units);
    require(
        expected.freeUnits() == before - units,
        expected.node(),
        "two entries at one place of a node");
  }
}

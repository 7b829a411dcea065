package io.howdah.collections.structure;

import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;

/** Visits all nodes of a {@link Tree}, to describe its levels and to find its memory. */
final class TreeWalk {

  private final Words words;
  private final TreeSearch tree;
  private final TreeFormat format;

  private TreeWalk(Words words, TreeSearch tree) {
    this.words = words;
    this.tree = tree;
    this.format = tree.format();
  }

  /** Returns how many nodes each level has, and how full they are; the root first. */
  static List<Tree.Level> levels(Words words, TreeSearch tree) {
    long root = tree.root(words);
    int height = TreeLayout.height(root);
    Sums sums = new Sums(height);
    TreeWalk walk = new TreeWalk(words, tree);
    walk.count(TreeLayout.rootNode(root), height, walk.lowest(), sums);
    List<Tree.Level> levels = new ArrayList<>();
    for (int level = height; level >= 0; level--) {
      double fill = (double) sums.used[level] / sums.space[level];
      levels.add(new Tree.Level(sums.nodes[level], sums.keys[level], fill));
    }
    return levels;
  }

  private static final class Sums {
    private final long[] nodes;
    private final long[] keys;
    private final long[] used;
    private final long[] space;

    Sums(int height) {
      nodes = new long[height + 1];
      keys = new long[height + 1];
      used = new long[height + 1];
      space = new long[height + 1];
    }
  }

  /**
   * Reads all words of a node.
   *
   * @param low what its low fence must be: no damage leads to a node twice
   */
  private NodeImage read(long node, int level, TreeKey low) {
    NodeImage image = new NodeImage();
    image.become(node);
    TreeSearch.read(words, image, 0, image.layout().words);
    tree.require(words, image, level);
    TreeKey fence = new TreeKey();
    format.fence(words, image, image.low(), fence);
    if (!format.isEqual(fence, low)) {
      throw TreeFormat.damaged(words, node, "the low fence of a node of a tree");
    }
    return image;
  }

  private TreeKey lowest() {
    TreeKey lowest = new TreeKey();
    lowest.setFixed(format.lowest()); // as any key, the empty one
    return lowest;
  }

  /** Returns the keys of a node, which ascend. */
  static TreeKey[] keys(Words words, TreeFormat format, NodeImage image) {
    TreeKey[] keys = new TreeKey[image.count()];
    long[] heads = new long[keys.length];
    image.sortedHeads(heads);
    for (int i = 0; i < keys.length; i++) {
      keys[i] = new TreeKey();
      int at = format.entry(words, image, i);
      int _ = format.entryBytes(words, image, at);
      if (format.hasFixedKeys()) {
        keys[i].setFixed(heads[i]);
      } else {
        format.key(words, image, at, keys[i]);
      }
      if (i > 0 && !format.isLess(keys[i - 1], keys[i])) {
        throw TreeFormat.damaged(words, image.node(), "the keys of a node of a tree");
      }
    }
    return keys;
  }

  private void count(long node, int level, TreeKey low, Sums sums) {
    NodeImage image = read(node, level, low);
    TreeNodeLayout layout = image.layout();
    int space = (layout.units - layout.firstUnit) << layout.unitShift;
    sums.nodes[level]++;
    sums.keys[level] += image.count();
    sums.used[level] += space - (image.freeUnits() << layout.unitShift);
    sums.space[level] += space;
    if (level > 0) {
      TreeKey[] keys = keys(words, format, image);
      for (int i = 0; i < keys.length; i++) {
        long child = TreeFormat.child(image, format.entry(words, image, i));
        count(child, level - 1, keys[i], sums);
      }
    }
  }

  /** Shows every block and node, the tree included; none is read after it was shown. */
  static void visitBlocks(Words words, TreeSearch tree, BlockVisitor blocks) {
    long root = tree.root(words);
    TreeWalk walk = new TreeWalk(words, tree);
    walk.visit(TreeLayout.rootNode(root), TreeLayout.height(root), walk.lowest(), blocks);
    long buildKey = words.getUnchecked(tree.address() + TreeLayout.BUILD_KEY_OFFSET);
    if (buildKey != 0) {
      blocks.block(buildKey);
    }
    blocks.block(tree.address());
  }

  private void visit(long node, int level, TreeKey low, BlockVisitor blocks) {
    NodeImage image = read(node, level, low);
    TreeKey[] keys = keys(words, format, image);
    for (int i = 0; i < keys.length; i++) {
      int at = format.entry(words, image, i);
      show(format.keyBlock(image, at), blocks);
      if (level == 0) {
        show(format.valueBlock(image, at), blocks);
      } else {
        visit(TreeFormat.child(image, at), level - 1, keys[i], blocks);
      }
    }
    show(format.fenceBlock(image.low()), blocks);
    show(format.fenceBlock(image.high()), blocks);
    blocks.node(node);
  }

  private static void show(long block, BlockVisitor blocks) {
    if (block != 0) {
      blocks.block(block);
    }
  }
}

package io.howdah.collections.structure;

import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Visits all nodes of a {@link Tree}, to describe its levels and to find its blocks. */
final class TreeWalk {

  private TreeWalk() {}

  /** Returns how many nodes each level has, and how full they are; the root first. */
  static List<Tree.Level> levels(Words words, Tree tree) {
    int height = (int) tree.height(words);
    long[] nodes = new long[height + 1];
    long[] keys = new long[height + 1];
    count(words, tree.root(words), height, nodes, keys);
    List<Tree.Level> levels = new ArrayList<>();
    for (int level = height; level >= 0; level--) {
      double fill = (double) keys[level] / (nodes[level] * MAX_KEYS);
      levels.add(new Tree.Level(nodes[level], keys[level], fill));
    }
    return levels;
  }

  private static void count(Words words, long node, int level, long[] nodes, long[] keys) {
    long order = words.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    nodes[level]++;
    keys[level] += TreeLayout.count(order);
    if (level > 0) {
      count(
          words, words.getUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET), level - 1, nodes, keys);
      for (int i = 0; i < TreeLayout.count(order); i++) {
        long at = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
        long child = words.getUnchecked(at + TreeLayout.CHILDREN_OFFSET);
        count(words, child, level - 1, nodes, keys);
      }
    }
  }

  /** Shows every block, the tree included; none is read after it was shown. */
  static void visitBlocks(Words words, Tree tree, boolean inlineValues, LongConsumer blocks) {
    visitBlocks(words, blocks, tree.root(words), tree.height(words), inlineValues);
    long buildKey = words.getUnchecked(tree.address() + TreeLayout.BUILD_KEY_OFFSET);
    if (buildKey != 0) {
      blocks.accept(buildKey);
    }
    blocks.accept(tree.address());
  }

  private static void visitBlocks(
      Words words, LongConsumer blocks, long node, long level, boolean inlineValues) {
    long order = words.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    for (int i = 0; i < TreeLayout.count(order); i++) {
      long at = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
      if (level > 0) {
        long longKey = words.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET);
        if (longKey != 0) {
          blocks.accept(longKey);
        }
        visitBlocks(
            words,
            blocks,
            words.getUnchecked(at + TreeLayout.CHILDREN_OFFSET),
            level - 1,
            inlineValues);
      } else if (!inlineValues) {
        blocks.accept(words.getUnchecked(at + TreeLayout.VALUES_OFFSET));
      }
    }
    if (level > 0) {
      visitBlocks(
          words,
          blocks,
          words.getUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET),
          level - 1,
          inlineValues);
    }
    blocks.accept(node);
  }
}

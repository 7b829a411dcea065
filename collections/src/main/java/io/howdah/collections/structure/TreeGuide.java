package io.howdah.collections.structure;

import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the inner nodes of level 1 of a large {@link Tree} are, whose keys have 8 bytes: a sorted
 * array on the heap. A descent begins at one of them in place of the root, and spares the levels
 * above.
 *
 * <p>A place has the word that the node's orec had when a descent from the root has led to it. If
 * the orec still has that word, no commit has changed or freed the node since, so it is a node of
 * the tree, and its fences are those of the keys that it leads to (docs/protocol.md, R39). The key
 * is compared with the fences. The low fence that the array is sorted by says only where to look.
 *
 * <p>Descents from the root correct the words of the orecs. If many of them have reached nodes that
 * the array does not have, the next one makes a new array.
 *
 * <p>Thread-safe. Threads may correct a place at the same time: each of the words that they write
 * proves what a reader needs.
 */
final class TreeGuide {

  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** Trees with more nodes of level 1 have no guide: it would have more than 1.5 MiB. */
  private static final int MAX_NODES = 1 << 16;

  /** After so many descents without a place in the guide, a new one is made. */
  private static final int MIN_MISSES = 32;

  private static final int MISSES_PART = 4;
  private static final int MIN_NODES = 64;
  private static final int LEVEL = 1;

  /** A descent must spare the reads of at least one node. */
  private static final int MIN_HEIGHT = 2;

  /** What a guide has. */
  private static final class Places {

    /** The low fences of the nodes, in order; that of the first node is below all others. */
    private final long[] lows;

    /** For each node its reference, then the word of its orec or {@link Nodes#NO_SEEN}. */
    private final long[] nodes;

    /** The low fence of the second node. Keys from here on are in intervals of one length. */
    private final long from;

    /** The base-two logarithm of that length. */
    private final int shift;

    /** For each interval, the number of the last node whose low fence is not behind its begin. */
    private final int[] starts;

    /** Takes over arrays for at least two nodes. */
    Places(long[] lows, long[] nodes) {
      this.lows = lows;
      this.nodes = nodes;
      from = lows[1];
      long length = lows[lows.length - 1] - from; // unsigned
      int bits = Long.SIZE - Long.numberOfLeadingZeros(lows.length);
      shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(length) - bits);
      starts = new int[(int) (length >>> shift) + 2];
      int last = 1;
      starts[starts.length - 1] = lows.length - 1;
      for (int i = 0; i < starts.length - 1; i++) {
        long begin = (long) i << shift; // unsigned, as the distances below
        while (last + 1 < lows.length && Long.compareUnsigned(lows[last + 1] - from, begin) <= 0) {
          last++;
        }
        starts[i] = last;
      }
    }

    /** Returns the number of the last node whose low fence is not greater than a head. */
    int find(long head) {
      if (head < from) {
        return 0;
      }
      int[] starts = this.starts;
      long interval = (head - from) >>> shift;
      // Unsigned: the distance of two keys may be more than a number of type long can be.
      if (Long.compareUnsigned(interval, starts.length - 1) >= 0) {
        return lows.length - 1;
      }
      long[] lows = this.lows;
      int at = starts[(int) interval];
      for (int count = starts[(int) interval + 1] - at + 1; count > 1; ) {
        int half = count >>> 1; // no branch: which half it is cannot be predicted
        at = lows[at + half] <= head ? at + half : at;
        count -= half;
      }
      return at;
    }

    long node(int number) {
      return nodes[2 * number];
    }

    long seen(int number) {
      return (long) WORD.getOpaque(nodes, 2 * number + 1);
    }

    void seen(int number, long word) {
      WORD.setOpaque(nodes, 2 * number + 1, word);
    }
  }

  private final TreeSearch tree;

  /** Null until a descent has found the tree large enough. */
  private @Nullable Places places;

  /** About how many descents have missed a place. Threads may lose each other's counts. */
  private int misses;

  TreeGuide(TreeSearch tree) {
    this.tree = tree;
  }

  /** Forgets all nodes: the tree is another one. */
  void clear() {
    places = null;
    misses = 0;
  }

  /**
   * Begins a look at the node of level 1 for a head, all of whose keys are those that it leads to.
   *
   * @return the node, or 0 if it is not known or has changed; then there is no look
   */
  long beginLook(Words words, long head) {
    Places places = this.places;
    if (places == null) {
      return 0;
    }
    int number = places.find(head);
    long node = places.node(number);
    Nodes nodes = words.nodes;
    if (!nodes.beginLook(node, places.seen(number))) {
      return 0;
    }
    TreeNodeLayout layout = TreeNodeLayout.of(node);
    long high = nodes.word(layout.highAt);
    return nodes.word(layout.lowAt) <= head && (head < high || high == TreeNodeLayout.NO_HIGH)
        ? node
        : 0;
  }

  /**
   * Notes a node of level 1 that a descent from the root has led to.
   *
   * @param head that of the key of the descent
   * @param seen the word of the node's orec
   */
  void reached(long head, long node, long seen) {
    Places places = this.places;
    if (places != null) {
      int number = places.find(head);
      if (places.node(number) == node) {
        places.seen(number, seen);
        return;
      }
    }
    misses++;
  }

  /**
   * Returns whether a descent should {@linkplain #make make} a new guide before it begins.
   *
   * @param height of the tree
   */
  boolean isWanted(int height) {
    Places places = this.places;
    int known = places == null ? 0 : places.lows.length;
    return misses > MIN_MISSES + known / MISSES_PART && height >= MIN_HEIGHT;
  }

  /**
   * Makes a new guide from the nodes of level 2, whose words of orecs are not known yet. Gives up
   * if the snapshot moves, or if a node is not what it should be.
   */
  void make(Words words, TreeScratch scratch) {
    misses = 0;
    scratch.probe.setFixed(Long.MIN_VALUE);
    long node = tree.descend(words, scratch, scratch.probe, LEVEL + 1, false);
    NodeImage image = scratch.inner;
    long[] lows = new long[MIN_NODES];
    long[] nodes = new long[2 * MIN_NODES];
    int count = 0;
    while (node != 0) {
      image.become(node);
      int more = tree.readSound(words, image, LEVEL + 1);
      if (more <= 0) {
        return;
      }
      if (count + more > MAX_NODES) {
        misses = Integer.MIN_VALUE; // do not try again soon
        return;
      }
      if (count + more > lows.length) {
        lows = Arrays.copyOf(lows, 2 * (count + more));
        nodes = Arrays.copyOf(nodes, 2 * lows.length);
      }
      image.sortedHeads(scratch.heads);
      for (int i = 0; i < more; i++, count++) {
        lows[count] = scratch.heads[i];
        nodes[2 * count] = TreeFormat.child(image, image.entry(i));
        nodes[2 * count + 1] = Nodes.NO_SEEN;
      }
      node = image.next();
    }
    if (count > 1) {
      places = new Places(Arrays.copyOf(lows, count), Arrays.copyOf(nodes, 2 * count));
    }
  }
}

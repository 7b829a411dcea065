package io.howdah.txn.stm;

import io.howdah.core.layout.NodeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;
import java.util.Arrays;

/**
 * A tree of an inner node and leaves, for keys from 0 to {@value #KEYS}, as docs/protocol.md, R39
 * and R40, asks for it: a leaf says which keys it covers, and who changes that writes the leaf.
 *
 * <pre>
 *   inner   INNER, number of leaves; for each leaf: its lowest key, its reference
 *   leaf    LEAF, lowest key, key behind its highest, values by key
 * </pre>
 */
final class SmallTree {

  static final int KEYS = 6;

  private static final long INNER = 0x1111_1111_1111L;
  private static final long LEAF = 0x2222_2222_2222L;
  private static final int LOW = 1;
  private static final int HIGH = 2;
  private static final int VALUES = 3;
  private static final int LEAF_WORDS = VALUES + KEYS;
  private static final int INNER_WORDS = 2 + 2 * KEYS;

  /** Address of the word with the inner node's reference. */
  private final long root;

  private final int leafBytes;

  SmallTree(long root, int leafBytes) {
    this.root = root;
    this.leafBytes = leafBytes;
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  void create(Tx tx) {
    long inner = words(tx).heap.allocateNode(NodeLayout.MIN_BYTES);
    long leaf = words(tx).heap.allocateNode(leafBytes);
    words(tx).nodes.write(leaf, 0, leaf(0, KEYS), 0, LEAF_WORDS);
    words(tx).nodes.write(inner, 0, new long[] {INNER, 1, 0, leaf}, 0, 4);
    words(tx).putUnchecked(root, inner);
  }

  private static long[] leaf(long low, long high) {
    long[] leaf = new long[LEAF_WORDS];
    leaf[0] = LEAF;
    leaf[LOW] = low;
    leaf[HIGH] = high;
    return leaf;
  }

  /** A leaf, and how the descent came there. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Found(long inner, long[] innerWords, int place, long leaf, long[] leafWords) {}

  private Found find(Tx tx, int key, boolean changesInner) {
    Nodes nodes = words(tx).nodes;
    long[] inner = new long[INNER_WORDS];
    long[] leaf = new long[LEAF_WORDS];
    while (true) {
      long first = words(tx).getUnchecked(root);
      if (changesInner
          ? !nodes.read(first, 0, INNER_WORDS, inner, 0)
          : !nodes.readInner(first, 0, INNER_WORDS, inner, 0)) {
        continue;
      }
      if (inner[0] != INNER) {
        throw new AssertionError("no inner node: " + Arrays.toString(inner));
      }
      int place = (int) inner[1] - 1;
      while (inner[2 + 2 * place] > key) {
        place--;
      }
      long child = inner[3 + 2 * place];
      if (!nodes.read(child, 0, LEAF_WORDS, leaf, 0)) {
        continue;
      }
      if (leaf[0] != LEAF || leaf[LOW] > key || leaf[HIGH] <= key) {
        throw new AssertionError("no leaf of key " + key + ": " + Arrays.toString(leaf));
      }
      return new Found(first, inner, place, child, leaf);
    }
  }

  long get(Tx tx, int key) {
    return find(tx, key, false).leafWords[VALUES + key];
  }

  void put(Tx tx, int key, long value) {
    words(tx).nodes.write(find(tx, key, false).leaf, VALUES + key, value);
  }

  /** Halves the leaf of a key, if it covers more than one. */
  void split(Tx tx, int key) {
    Found found = find(tx, key, true);
    long low = found.leafWords[LOW];
    long high = found.leafWords[HIGH];
    if (high - low < 2) {
      return;
    }
    long middle = (low + high) / 2;
    Nodes nodes = words(tx).nodes;
    long right = words(tx).heap.allocateNode(leafBytes);
    nodes.write(right, 0, leaf(0, 0), 0, LEAF_WORDS); // the rows that count come later
    nodes.write(found.leaf, HIGH, middle);
    long[] words = found.leafWords.clone();
    words[LOW] = middle;
    nodes.write(right, 1, words, 1, LEAF_WORDS - 1);
    long[] inner = found.innerWords;
    int behind = (int) inner[1] - 1 - found.place;
    System.arraycopy(inner, 4 + 2 * found.place, inner, 6 + 2 * found.place, 2 * behind);
    inner[4 + 2 * found.place] = middle;
    inner[5 + 2 * found.place] = right;
    inner[1]++;
    nodes.write(found.inner, 1, inner, 1, 1 + 2 * (int) inner[1]);
  }

  /**
   * Joins the leaf of a key with its right neighbour, which becomes free.
   *
   * @return the reference of that neighbour, or 0 if there is none
   */
  long merge(Tx tx, int key) {
    Found found = find(tx, key, true);
    if (found.place == found.innerWords[1] - 1) {
      return 0;
    }
    Found right = find(tx, (int) found.leafWords[HIGH], true);
    if (found.inner != right.inner || right.place != found.place + 1) {
      throw new AssertionError("two states of the tree");
    }
    Nodes nodes = words(tx).nodes;
    long[] joined = found.leafWords;
    int low = (int) right.leafWords[LOW];
    int high = (int) right.leafWords[HIGH];
    System.arraycopy(right.leafWords, VALUES + low, joined, VALUES + low, high - low);
    joined[HIGH] = high;
    nodes.write(found.leaf, 1, joined, 1, LEAF_WORDS - 1);
    long[] inner = right.innerWords;
    int behind = (int) inner[1] - 1 - right.place;
    System.arraycopy(inner, 4 + 2 * right.place, inner, 2 + 2 * right.place, 2 * behind);
    inner[1]--;
    nodes.write(right.inner, 1, inner, 1, 1 + 2 * (int) inner[1]);
    words(tx).heap.freeNode(right.leaf);
    return right.leaf;
  }

  /** Returns the number of leaves. */
  int leaves(Tx tx) {
    return (int) find(tx, 0, false).innerWords[1];
  }
}

package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * B+-tree of 4-KB nodes with {@value #PAIRS} pairs of an 8-byte key and a 4-byte value (LOC, §V-A).
 * An operation inserts a random key, or deletes it if it is there. Leaves keep their keys sorted by
 * moving them; an empty leaf stays in the tree.
 *
 * <pre>
 *   0     count of keys
 *   8     1 for a leaf
 *   64    keys, 200 x 8
 *   1664  leaf: values, 200 x 4; inner node: children, 201 x 8
 * </pre>
 */
final class BPlusTree implements TransactionalWorkload {
  static final int PAIRS = 200;
  private static final int NODE_BYTES = 4096;
  private static final int LEAF = 8;
  private static final int KEYS = 64;
  private static final int VALUES = KEYS + PAIRS * Long.BYTES;
  private static final int FILLED_PERCENT = 65;

  private final TracedHeap heap;
  private final int keySpace;
  private final long rootCell;
  private final NodePool pool;

  /** Set when an insert split a node: the separator and the new right node. */
  private long splitKey;

  private long splitNode;

  BPlusTree(TracedHeap heap, int footprint) {
    this.heap = heap;
    int present = footprint / NODE_BYTES * PAIRS * FILLED_PERCENT / 100;
    keySpace = 2 * present;
    rootCell = heap.reserve(64, 64);
    pool = new NodePool(heap, NODE_BYTES);
    heap.store(rootCell, newNode(true));
  }

  private long newNode(boolean leaf) {
    long node = pool.allocate();
    heap.store(node, 0);
    heap.store(node + LEAF, leaf ? 1 : 0);
    return node;
  }

  @Override
  public void populate(SplitMix random) {
    for (int i = 0; i < keySpace; i += 2) {
      // An odd factor visits every second key once, in a scattered order.
      insert(((long) (i / 2) * 7919 % (keySpace / 2)) * 2, i);
    }
  }

  @Override
  public void operate(SplitMix random) {
    heap.work(10);
    long key = random.below(keySpace);
    long leaf = leafOf(key);
    int count = (int) heap.load(leaf);
    int at = lowerBound(leaf, count, key);
    if (at < count && heap.load(keyAt(leaf, at)) == key) {
      deleteFromLeaf(leaf, count, at);
    } else {
      insert(key, key);
    }
  }

  private static long keyAt(long node, int index) {
    return node + KEYS + index * 8L;
  }

  private static long valueAt(long leaf, int index) {
    return leaf + VALUES + index * 4L;
  }

  private static long childAt(long node, int index) {
    return node + VALUES + index * 8L;
  }

  private int lowerBound(long node, int count, long key) {
    int from = 0;
    int to = count;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (heap.load(keyAt(node, middle)) < key) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private boolean isLeaf(long node) {
    return heap.load(node + LEAF) != 0;
  }

  /** Child for a key: keys equal to a separator are on its right. */
  private int childIndex(long node, int count, long key) {
    int at = lowerBound(node, count, key);
    return at < count && heap.load(keyAt(node, at)) == key ? at + 1 : at;
  }

  private long leafOf(long key) {
    long node = heap.load(rootCell);
    while (!isLeaf(node)) {
      node = heap.load(childAt(node, childIndex(node, (int) heap.load(node), key)));
    }
    return node;
  }

  private void deleteFromLeaf(long leaf, int count, int at) {
    for (int i = at; i + 1 < count; i++) {
      heap.store(keyAt(leaf, i), heap.load(keyAt(leaf, i + 1)));
      heap.storeHalf(valueAt(leaf, i), heap.loadHalf(valueAt(leaf, i + 1)));
    }
    heap.store(leaf, count - 1);
  }

  private void insert(long key, long value) {
    long root = heap.load(rootCell);
    if (insertInto(root, key, value)) {
      long top = newNode(false);
      heap.store(keyAt(top, 0), splitKey);
      heap.store(childAt(top, 0), root);
      heap.store(childAt(top, 1), splitNode);
      heap.store(top, 1);
      heap.store(rootCell, top);
    }
  }

  /** Returns whether the node was split. */
  private boolean insertInto(long node, long key, long value) {
    int count = (int) heap.load(node);
    if (isLeaf(node)) {
      return insertIntoLeaf(node, count, key, value);
    }
    int index = childIndex(node, count, key);
    if (!insertInto(heap.load(childAt(node, index)), key, value)) {
      return false;
    }
    for (int i = count; i > index; i--) {
      heap.store(keyAt(node, i), heap.load(keyAt(node, i - 1)));
      heap.store(childAt(node, i + 1), heap.load(childAt(node, i)));
    }
    heap.store(keyAt(node, index), splitKey);
    heap.store(childAt(node, index + 1), splitNode);
    heap.store(node, count + 1);
    return count + 1 == PAIRS && splitInner(node);
  }

  private boolean splitInner(long node) {
    int half = PAIRS / 2;
    long right = newNode(false);
    for (int i = half + 1; i < PAIRS; i++) {
      heap.store(keyAt(right, i - half - 1), heap.load(keyAt(node, i)));
      heap.store(childAt(right, i - half - 1), heap.load(childAt(node, i)));
    }
    heap.store(childAt(right, PAIRS - half - 1), heap.load(childAt(node, PAIRS)));
    heap.store(right, PAIRS - half - 1);
    splitKey = heap.load(keyAt(node, half));
    heap.store(node, half);
    splitNode = right;
    return true;
  }

  private boolean insertIntoLeaf(long leaf, int count, long key, long value) {
    int at = lowerBound(leaf, count, key);
    for (int i = count; i > at; i--) {
      heap.store(keyAt(leaf, i), heap.load(keyAt(leaf, i - 1)));
      heap.storeHalf(valueAt(leaf, i), heap.loadHalf(valueAt(leaf, i - 1)));
    }
    heap.store(keyAt(leaf, at), key);
    heap.storeHalf(valueAt(leaf, at), value);
    heap.store(leaf, count + 1);
    if (count + 1 < PAIRS) {
      return false;
    }
    int half = PAIRS / 2;
    long right = newNode(true);
    for (int i = half; i < PAIRS; i++) {
      heap.store(keyAt(right, i - half), heap.load(keyAt(leaf, i)));
      heap.storeHalf(valueAt(right, i - half), heap.loadHalf(valueAt(leaf, i)));
    }
    heap.store(right, PAIRS - half);
    heap.store(leaf, half);
    splitKey = heap.load(keyAt(right, 0));
    splitNode = right;
    return true;
  }

  @Override
  public void check() {
    check(heap.load(rootCell), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private void check(long node, long from, long to) {
    int count = (int) heap.load(node);
    long before = from;
    for (int i = 0; i < count; i++) {
      long key = heap.load(keyAt(node, i));
      if (key < before || key >= to || (i > 0 && key == before)) {
        throw new IllegalStateException("key " + key + " is out of order in node " + node);
      }
      before = key;
    }
    if (!isLeaf(node)) {
      for (int i = 0; i <= count; i++) {
        check(
            heap.load(childAt(node, i)),
            i == 0 ? from : heap.load(keyAt(node, i - 1)),
            i == count ? to : heap.load(keyAt(node, i)));
      }
    }
  }
}

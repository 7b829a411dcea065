package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * Red-black tree with parent links (Cormen et al., Introduction to Algorithms, ch. 13). A node of
 * 64 bytes is key, left, right, parent, colour and three words of value. An operation inserts a
 * random key, or deletes it if it is there.
 */
final class RedBlackTree implements TransactionalWorkload {
  private static final int NODE_BYTES = 64;
  private static final int LEFT = 8;
  private static final int RIGHT = 16;
  private static final int PARENT = 24;
  private static final int RED = 32;
  private static final int VALUE = 40;
  private static final int VALUE_WORDS = 3;

  private final TracedHeap heap;
  private final int keySpace;
  private final long rootCell;

  /** The sentinel that stands for every missing child, black. */
  private final long nil;

  private final NodePool pool;

  RedBlackTree(TracedHeap heap, int footprint) {
    this.heap = heap;
    keySpace = 2 * (footprint / NODE_BYTES);
    rootCell = heap.reserve(64, 64);
    nil = heap.reserve(64, 64);
    pool = new NodePool(heap, NODE_BYTES);
    heap.store(rootCell, nil);
  }

  @Override
  public void populate(SplitMix random) {
    for (int i = 0; i < keySpace / 2; i++) {
      operateOn((long) i * 7919 % (keySpace / 2) * 2);
    }
  }

  @Override
  public void operate(SplitMix random) {
    heap.work(10);
    operateOn(random.below(keySpace));
  }

  /** The footprint that gives so many keys. */
  static int footprint(int keys) {
    return keys / 2 * NODE_BYTES;
  }

  /** Deletes the key, or inserts it if it is not there. */
  void operateOn(long key) {
    long parent = nil;
    long node = heap.load(rootCell);
    while (node != nil) {
      long found = heap.load(node);
      if (found == key) {
        delete(node);
        return;
      }
      parent = node;
      node = heap.load(node + (key < found ? LEFT : RIGHT));
    }
    insert(key, parent);
  }

  private void insert(long key, long parent) {
    long node = pool.allocate();
    heap.store(node, key);
    heap.store(node + LEFT, nil);
    heap.store(node + RIGHT, nil);
    heap.store(node + PARENT, parent);
    heap.store(node + RED, 1);
    for (int i = 0; i < VALUE_WORDS; i++) {
      heap.store(node + VALUE + i * 8L, key + i);
    }
    if (parent == nil) {
      heap.store(rootCell, node);
    } else {
      heap.store(parent + (key < heap.load(parent) ? LEFT : RIGHT), node);
    }
    repairInsert(node);
  }

  private boolean red(long node) {
    return heap.load(node + RED) != 0;
  }

  private long parent(long node) {
    return heap.load(node + PARENT);
  }

  private void color(long node, boolean red) {
    if (red(node) != red) {
      heap.store(node + RED, red ? 1 : 0);
    }
  }

  private void repairInsert(long added) {
    long node = added;
    while (red(parent(node))) {
      long parent = parent(node);
      long grand = parent(parent);
      int side = heap.load(grand + LEFT) == parent ? LEFT : RIGHT;
      int other = LEFT + RIGHT - side;
      long uncle = heap.load(grand + other);
      if (red(uncle)) {
        color(parent, false);
        color(uncle, false);
        color(grand, true);
        node = grand;
      } else {
        if (node == heap.load(parent + other)) {
          node = parent;
          rotate(node, side);
        }
        color(parent(node), false);
        color(parent(parent(node)), true);
        rotate(parent(parent(node)), other);
      }
    }
    color(heap.load(rootCell), false);
  }

  /** Moves the node down to this side, and its other child up. */
  private void rotate(long node, int side) {
    int other = LEFT + RIGHT - side;
    long up = heap.load(node + other);
    long moved = heap.load(up + side);
    heap.store(node + other, moved);
    if (moved != nil) {
      heap.store(moved + PARENT, node);
    }
    replaceChild(node, up);
    heap.store(up + side, node);
    heap.store(node + PARENT, up);
  }

  /** Puts another node in this one's place under its parent. */
  private void replaceChild(long node, long replacement) {
    long parent = parent(node);
    if (parent == nil) {
      heap.store(rootCell, replacement);
    } else {
      heap.store(parent + (heap.load(parent + LEFT) == node ? LEFT : RIGHT), replacement);
    }
    heap.store(replacement + PARENT, parent);
  }

  private void delete(long node) {
    boolean removedRed = red(node);
    long repaired;
    if (heap.load(node + LEFT) == nil) {
      repaired = heap.load(node + RIGHT);
      replaceChild(node, repaired);
    } else if (heap.load(node + RIGHT) == nil) {
      repaired = heap.load(node + LEFT);
      replaceChild(node, repaired);
    } else {
      long next = heap.load(node + RIGHT);
      while (heap.load(next + LEFT) != nil) {
        next = heap.load(next + LEFT);
      }
      removedRed = red(next);
      repaired = heap.load(next + RIGHT);
      if (parent(next) == node) {
        heap.store(repaired + PARENT, next);
      } else {
        replaceChild(next, repaired);
        heap.store(next + RIGHT, heap.load(node + RIGHT));
        heap.store(heap.load(next + RIGHT) + PARENT, next);
      }
      replaceChild(node, next);
      heap.store(next + LEFT, heap.load(node + LEFT));
      heap.store(heap.load(next + LEFT) + PARENT, next);
      color(next, red(node));
    }
    pool.free(node);
    if (!removedRed) {
      repairDelete(repaired);
    }
  }

  private void repairDelete(long from) {
    long node = from;
    while (node != heap.load(rootCell) && !red(node)) {
      long parent = parent(node);
      int side = heap.load(parent + LEFT) == node ? LEFT : RIGHT;
      int other = LEFT + RIGHT - side;
      long sibling = heap.load(parent + other);
      if (red(sibling)) {
        color(sibling, false);
        color(parent, true);
        rotate(parent, side);
        sibling = heap.load(parent + other);
      }
      if (!red(heap.load(sibling + LEFT)) && !red(heap.load(sibling + RIGHT))) {
        color(sibling, true);
        node = parent;
      } else {
        if (!red(heap.load(sibling + other))) {
          color(heap.load(sibling + side), false);
          color(sibling, true);
          rotate(sibling, other);
          sibling = heap.load(parent + other);
        }
        color(sibling, red(parent));
        color(parent, false);
        color(heap.load(sibling + other), false);
        rotate(parent, side);
        node = heap.load(rootCell);
      }
    }
    color(node, false);
  }

  @Override
  public void check() {
    blackHeight(heap.load(rootCell), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private int blackHeight(long node, long from, long to) {
    if (node == nil) {
      return 1;
    }
    long key = heap.load(node);
    boolean red = red(node);
    long left = heap.load(node + LEFT);
    long right = heap.load(node + RIGHT);
    if (key < from || key >= to || (red && (red(left) || red(right)))) {
      throw new IllegalStateException("order or colour broken at key " + key);
    }
    int height = blackHeight(left, from, key);
    if (height != blackHeight(right, key + 1, to)) {
      throw new IllegalStateException("black heights differ below key " + key);
    }
    return height + (red ? 0 : 1);
  }
}

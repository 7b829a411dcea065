package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * Chained hash table. A node of 64 bytes is next, key and six words of value. An operation inserts
 * a random key, or deletes it if it is there.
 */
final class HashTable implements TransactionalWorkload {
  private static final int NODE_BYTES = 64;
  private static final int KEY = 8;
  private static final int VALUE = 16;
  private static final int VALUE_WORDS = 6;

  private final TracedHeap heap;
  private final int buckets;
  private final int keys;
  private final long count;
  private final long table;
  private final NodePool pool;

  HashTable(TracedHeap heap, int footprint) {
    this.heap = heap;
    // Half of the keys are present: 64-byte nodes and one 8-byte bucket per key that may be.
    int present = footprint / (NODE_BYTES + 2 * Long.BYTES);
    keys = 2 * present;
    buckets = keys;
    count = heap.reserve(64, 64);
    table = heap.reserve((long) buckets * Long.BYTES, 64);
    pool = new NodePool(heap, NODE_BYTES);
  }

  @Override
  public void populate(SplitMix random) {
    for (int key = 0; key < keys; key += 2) {
      toggle(key, random.next());
    }
  }

  @Override
  public void operate(SplitMix random) {
    toggle(random.below(keys), random.next());
  }

  /** The footprint that gives so many keys. */
  static int footprint(int keys) {
    return keys / 2 * (NODE_BYTES + 2 * Long.BYTES);
  }

  /** Deletes the key, or inserts it if it is not there. */
  void toggle(int key, long value) {
    heap.work(15);
    long link = table + bucket(key) * 8;
    long node = heap.load(link);
    while (node != NodePool.NULL) {
      if (heap.load(node + KEY) == key) {
        heap.store(link, heap.load(node));
        pool.free(node);
        heap.store(count, heap.load(count) - 1);
        return;
      }
      link = node;
      node = heap.load(link);
    }
    long added = pool.allocate();
    long first = table + bucket(key) * 8;
    heap.store(added, heap.load(first));
    heap.store(added + KEY, key);
    for (int i = 0; i < VALUE_WORDS; i++) {
      heap.store(added + VALUE + 8L * i, value + i);
    }
    heap.store(first, added);
    heap.store(count, heap.load(count) + 1);
  }

  private long bucket(int key) {
    return (SplitMix.mix(key) >>> 1) % buckets;
  }

  @Override
  public void check() {
    long found = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      for (long node = heap.load(table + bucket * 8L); node != 0; node = heap.load(node)) {
        if (bucket((int) heap.load(node + KEY)) != bucket) {
          throw new IllegalStateException("a key is in the wrong bucket: " + bucket);
        }
        found++;
      }
    }
    if (found != heap.load(count)) {
      throw new IllegalStateException(found + " nodes, counted " + heap.load(count));
    }
  }
}

package io.howdah.nvmsim.thynvm.table;

import java.util.Arrays;

/**
 * The order in which GNU libstdc++'s {@code std::unordered_map} with integer keys visits them. The
 * authors' controller fills its heaps in that order, and which of several equal pages leaves a heap
 * first follows from it; exact counts need the same choice.
 *
 * <p>One list of all keys; a new key goes to the front of its bucket, or, if that is empty, to the
 * front of the list. The number of buckets grows through fixed primes when keys outnumber buckets.
 */
public final class HashOrder {
  private static final int[] BUCKETS = {
    1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061,
    712697, 1447153, 2938679, 5967347
  };
  private static final int NONE = -1;

  /** The node before the first. */
  private static final int HEAD = 0;

  private long[] keys = new long[16];
  private int[] next = new int[16];
  private int nodes = 1;
  private int firstUnused = NONE;
  private int size;
  private int growth;
  private int limit;

  /** Per bucket the node before its first one. */
  private int[] before = new int[1];

  public HashOrder() {
    next[HEAD] = NONE;
    Arrays.fill(before, NONE);
  }

  public int size() {
    return size;
  }

  private int bucket(long key) {
    return (int) Long.remainderUnsigned(key, before.length);
  }

  /** Adds a key that is not there. */
  public void add(long key) {
    if (size + 1 > limit) {
      growth++;
      rehash(BUCKETS[growth]);
      limit = BUCKETS[growth];
    }
    int node = newNode();
    keys[node] = key;
    int bucket = bucket(key);
    if (before[bucket] == NONE) {
      next[node] = next[HEAD];
      next[HEAD] = node;
      if (next[node] != NONE) {
        before[bucket(keys[next[node]])] = node;
      }
      before[bucket] = HEAD;
    } else {
      next[node] = next[before[bucket]];
      next[before[bucket]] = node;
    }
    size++;
  }

  private int newNode() {
    if (firstUnused != NONE) {
      int node = firstUnused;
      firstUnused = next[node];
      return node;
    }
    if (nodes == keys.length) {
      keys = Arrays.copyOf(keys, 2 * nodes);
      next = Arrays.copyOf(next, 2 * nodes);
    }
    return nodes++;
  }

  private void rehash(int buckets) {
    int node = next[HEAD];
    next[HEAD] = NONE;
    before = new int[buckets];
    Arrays.fill(before, NONE);
    int headBucket = 0;
    while (node != NONE) {
      int following = next[node];
      int bucket = bucket(keys[node]);
      if (before[bucket] == NONE) {
        next[node] = next[HEAD];
        next[HEAD] = node;
        before[bucket] = HEAD;
        if (next[node] != NONE) {
          before[headBucket] = node;
        }
        headBucket = bucket;
      } else {
        next[node] = next[before[bucket]];
        next[before[bucket]] = node;
      }
      node = following;
    }
  }

  /** Removes a key that is there. */
  public void remove(long key) {
    int bucket = bucket(key);
    int previous = before[bucket];
    int node = next[previous];
    while (keys[node] != key) {
      previous = node;
      node = next[node];
    }
    int following = next[node];
    int followingBucket = following == NONE ? NONE : bucket(keys[following]);
    if (previous == before[bucket]) {
      if (following == NONE || followingBucket != bucket) {
        if (following != NONE) {
          before[followingBucket] = before[bucket];
        }
        before[bucket] = NONE;
      }
    } else if (following != NONE && followingBucket != bucket) {
      before[followingBucket] = previous;
    }
    next[previous] = following;
    next[node] = firstUnused;
    firstUnused = node;
    size--;
  }

  /** Forgets all keys; the number of buckets stays. */
  public void clear() {
    next[HEAD] = NONE;
    Arrays.fill(before, NONE);
    nodes = 1;
    firstUnused = NONE;
    size = 0;
  }

  /** All keys, in order. */
  public long[] keys() {
    long[] all = new long[size];
    int at = 0;
    for (int node = next[HEAD]; node != NONE; node = next[node]) {
      all[at++] = keys[node];
    }
    return all;
  }
}

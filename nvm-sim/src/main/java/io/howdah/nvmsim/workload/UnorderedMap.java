package io.howdah.nvmsim.workload;

import java.util.Arrays;

/**
 * The accesses of a hash table as C++ libraries build {@code unordered_map}: all nodes form one
 * list, in which those of a bucket follow one another, and a bucket points to the node before its
 * first. It begins small and grows: when it has as many nodes as buckets, all nodes move to an
 * array of twice the length. A node and its value are allocated together, from the place that was
 * freed last.
 */
final class UnorderedMap {
  static final int NONE = -1;
  private static final int WORD = Long.BYTES;
  private static final int LINE = 64;

  /** The list's head stands for the node before the first. */
  private static final int HEAD = -2;

  private static final int FIRST_BUCKETS = 11;
  private static final int INSTRUCTIONS_PER_ACCESS = 2;
  private static final int NODE_BYTES = 32;
  private static final int KEY = 8;
  private static final long CONTROL = 0;
  private static final long ENTRIES = 1 << 12;

  private final AccessSink sink;
  private final long entryBytes;
  private final long nodeOffset;
  private final int[] keys;
  private final int[] next;
  private final int[] free;
  private int freed;
  private int fresh;
  private int first = NONE;
  private int[] buckets = new int[FIRST_BUCKETS];
  private long bucketBase;
  private int count;

  /**
   * Creates an empty table.
   *
   * @param capacity most entries
   * @param chunkBytes bytes that the value of an entry takes, the allocator's included
   */
  UnorderedMap(int capacity, int chunkBytes, AccessSink sink) {
    this.sink = sink;
    nodeOffset = chunkBytes;
    entryBytes = (long) chunkBytes + NODE_BYTES;
    keys = new int[capacity];
    next = new int[capacity];
    free = new int[capacity];
    bucketBase = ENTRIES + capacity * entryBytes;
    Arrays.fill(buckets, NONE);
  }

  private void load(long address) {
    sink.work(INSTRUCTIONS_PER_ACCESS);
    sink.load(address);
  }

  private void store(long address) {
    sink.work(INSTRUCTIONS_PER_ACCESS);
    sink.store(address);
  }

  /** The chunk of an entry's value. */
  long chunk(int entry) {
    return ENTRIES + entry * entryBytes;
  }

  private long node(int entry) {
    return entry == HEAD ? CONTROL : chunk(entry) + nodeOffset;
  }

  private int bucket(int key) {
    return key % buckets.length;
  }

  private long bucketAddress(int bucket) {
    return bucketBase + (long) bucket * WORD;
  }

  private int after(int entry) {
    return entry == HEAD ? first : next[entry];
  }

  private void link(int entry, int following) {
    store(node(entry));
    if (entry == HEAD) {
      first = following;
    } else {
      next[entry] = following;
    }
  }

  /** The node before the one with this key, or {@link #NONE}. */
  private int findBefore(int key) {
    int bucket = bucket(key);
    load(bucketAddress(bucket));
    int before = buckets[bucket];
    if (before == NONE) {
      return NONE;
    }
    load(node(before));
    int at = after(before);
    while (true) {
      load(node(at) + KEY);
      if (keys[at] == key) {
        return before;
      }
      load(node(at));
      int following = next[at];
      if (following == NONE) {
        return NONE;
      }
      load(node(following) + KEY);
      if (bucket(keys[following]) != bucket) {
        return NONE;
      }
      before = at;
      at = following;
    }
  }

  /** The entry with this key, or {@link #NONE}. */
  int find(int key) {
    int before = findBefore(key);
    return before == NONE ? NONE : after(before);
  }

  /** The entry that would be allocated next. */
  int allocatable() {
    return freed > 0 ? free[freed - 1] : fresh;
  }

  /** Allocates an entry; its value is stored by the caller. */
  int allocate() {
    load(CONTROL + LINE);
    int entry = allocatable();
    if (freed > 0) {
      freed--;
      load(chunk(entry) + WORD);
    } else {
      fresh++;
      store(chunk(entry));
    }
    store(CONTROL + LINE);
    return entry;
  }

  /** Puts an allocated entry under a key that is not there. */
  void insert(int entry, int key) {
    findBefore(key);
    keys[entry] = key;
    store(node(entry) + KEY);
    store(node(entry) + 2 * WORD);
    if (count == buckets.length) {
      grow();
    }
    int bucket = bucket(key);
    load(bucketAddress(bucket));
    attach(entry, bucket);
    count++;
    store(CONTROL + WORD);
  }

  private void attach(int entry, int bucket) {
    int before = buckets[bucket];
    if (before != NONE) {
      load(node(before));
      link(entry, after(before));
      link(before, entry);
      return;
    }
    load(CONTROL);
    link(entry, first);
    link(HEAD, entry);
    if (next[entry] != NONE) {
      load(node(next[entry]) + KEY);
      int other = bucket(keys[next[entry]]);
      store(bucketAddress(other));
      buckets[other] = entry;
    }
    store(bucketAddress(bucket));
    buckets[bucket] = HEAD;
  }

  /** Takes out the entry of a key that is there, and frees it. */
  void remove(int key) {
    int bucket = bucket(key);
    int before = findBefore(key);
    int entry = after(before);
    int following = next[entry];
    load(node(entry));
    int other = bucket;
    if (following != NONE) {
      load(node(following) + KEY);
      other = bucket(keys[following]);
    }
    if (following != NONE && other != bucket) {
      store(bucketAddress(other));
      buckets[other] = before;
    }
    if (buckets[bucket] == before && (following == NONE || other != bucket)) {
      store(bucketAddress(bucket));
      buckets[bucket] = NONE;
    }
    link(before, following);
    free[freed++] = entry;
    load(chunk(entry));
    store(chunk(entry) + WORD);
    store(node(entry));
    store(CONTROL + LINE);
    count--;
    store(CONTROL + WORD);
  }

  private void grow() {
    bucketBase += (long) buckets.length * WORD / LINE * LINE + LINE;
    buckets = new int[prime(2 * buckets.length + 1)];
    Arrays.fill(buckets, NONE);
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      sink.store(bucketAddress(bucket));
    }
    int at = first;
    first = NONE;
    while (at != NONE) {
      load(node(at));
      int following = next[at];
      load(node(at) + KEY);
      int bucket = bucket(keys[at]);
      load(bucketAddress(bucket));
      attach(at, bucket);
      at = following;
    }
  }

  private static int prime(int from) {
    int candidate = from | 1;
    while (!isPrime(candidate)) {
      candidate += 2;
    }
    return candidate;
  }

  private static boolean isPrime(int odd) {
    for (int divisor = 3; (long) divisor * divisor <= odd; divisor += 2) {
      if (odd % divisor == 0) {
        return false;
      }
    }
    return true;
  }

  int count() {
    return count;
  }
}

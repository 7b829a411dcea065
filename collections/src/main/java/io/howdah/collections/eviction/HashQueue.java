package io.howdah.collections.eviction;

import java.util.Arrays;

/** Hashes in the order in which they were added. Not thread-safe. */
final class HashQueue {

  private static final int MIN_LENGTH = 16;

  private long[] hashes = new long[MIN_LENGTH];
  private int first;
  private int size;

  int size() {
    return size;
  }

  /** Adds a hash at the end. */
  void add(long hash) {
    if (size == hashes.length) {
      long[] longer = Arrays.copyOf(hashes, 2 * size);
      System.arraycopy(hashes, 0, longer, size, first);
      hashes = longer;
    }
    hashes[(first + size) & (hashes.length - 1)] = hash;
    size++;
  }

  /** Returns a hash, without removing it. */
  long get(int index) {
    return hashes[(first + index) & (hashes.length - 1)];
  }

  /** Removes the first hash; there is one. */
  long remove() {
    long hash = hashes[first];
    first = (first + 1) & (hashes.length - 1);
    size--;
    return hash;
  }

  void clear() {
    size = 0;
  }
}

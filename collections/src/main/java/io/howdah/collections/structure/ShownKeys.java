package io.howdah.collections.structure;

import java.util.Arrays;

/**
 * The keys of an interval that a cursor has shown. A key is recognised by its bytes: different keys
 * may have one hash, see {@link KeyedHash}, and an entry moves when its value does. So this takes
 * as much memory as the keys of one bucket. Not thread-safe.
 */
final class ShownKeys {

  private static final int KEPT_BYTES = 1 << 12;

  private long[] hashes = {};

  /** Where each key ends. */
  private int[] ends = {};

  private int count;
  private byte[] bytes = {};

  void clear() {
    count = 0;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[KEPT_BYTES];
    }
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Adds a key: some bytes of an array. */
  void add(long hash, byte[] array, int offset, int length) {
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, count + Math.max(Long.BYTES, count));
      ends = Arrays.copyOf(ends, hashes.length);
    }
    int begin = begin(count);
    int end = Math.addExact(begin, length);
    if (bytes.length < end) {
      bytes = Arrays.copyOf(bytes, Math.max(end, (int) Math.min(2L * end, Integer.MAX_VALUE - 8)));
    }
    System.arraycopy(array, offset, bytes, begin, length);
    hashes[count] = hash;
    ends[count++] = end;
  }

  /** Returns whether a key was added. */
  boolean contains(long hash, byte[] array, int offset, int length) {
    for (int i = 0; i < count; i++) {
      if (hashes[i] == hash
          && Arrays.equals(bytes, begin(i), ends[i], array, offset, offset + length)) {
        return true;
      }
    }
    return false;
  }

  private int begin(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }
}

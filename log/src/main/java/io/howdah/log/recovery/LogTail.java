package io.howdah.log.recovery;

import java.util.Arrays;

/**
 * The records of a generation above the largest cut of its batches, in the order of LSNs. Whether
 * they survive is decided by the {@link Cut} of the recovery. Not thread-safe.
 */
final class LogTail {

  private long[] lsns = new long[64];
  private long[] deps = new long[64];
  private long[] nodes = new long[64];
  private int size;

  /**
   * Appends a record.
   *
   * @param packedLsn larger than all before
   * @param node of the stash that contains the record
   */
  void add(long packedLsn, long packedDep, long node) {
    if (size == lsns.length) {
      lsns = Arrays.copyOf(lsns, 2 * size);
      deps = Arrays.copyOf(deps, 2 * size);
      nodes = Arrays.copyOf(nodes, 2 * size);
    }
    lsns[size] = packedLsn;
    deps[size] = packedDep;
    nodes[size] = node;
    size++;
  }

  /** Returns the records of two tails in the order of LSNs. */
  static LogTail merge(LogTail a, LogTail b) {
    LogTail merged = new LogTail();
    int i = 0;
    int j = 0;
    while (i < a.size || j < b.size) {
      if (j == b.size || (i < a.size && a.lsns[i] < b.lsns[j])) {
        merged.add(a.lsns[i], a.deps[i], a.nodes[i]);
        i++;
      } else {
        merged.add(b.lsns[j], b.deps[j], b.nodes[j]);
        j++;
      }
    }
    return merged;
  }

  int size() {
    return size;
  }

  /** Returns a packed LSN; they ascend. */
  long lsn(int index) {
    return lsns[index];
  }

  /** Returns the packed LSN that a record depends on, 0 for none. */
  long dep(int index) {
    return deps[index];
  }

  /** Returns the node of the stash that contains a record. */
  long node(int index) {
    return nodes[index];
  }

  /** Returns the largest packed LSN, 0 if there is none. */
  long largest() {
    return size == 0 ? 0 : lsns[size - 1];
  }

  boolean contains(long packedLsn) {
    return Arrays.binarySearch(lsns, 0, size, packedLsn) >= 0;
  }
}

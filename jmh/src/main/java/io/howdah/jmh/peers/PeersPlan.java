package io.howdah.jmh.peers;

import io.howdah.jmh.study.Effort;
import java.util.List;

/**
 * What is measured.
 *
 * @param kinds in the order of their turns
 * @param size of the data
 * @param batch entries of a transaction while loading
 * @param threads of the workloads
 * @param syncThreads of synchronous commits, one setting after the other
 * @param syncEntries that a store has while synchronous commits are measured, at most
 * @param heapMegabytes of each JVM
 * @param effort rounds and their length
 */
public record PeersPlan(
    List<PeerKind> kinds,
    PeerSize size,
    int batch,
    int threads,
    List<Integer> syncThreads,
    int syncEntries,
    int heapMegabytes,
    Effort effort) {

  private static final int BATCH = 100;
  private static final int SYNC_ENTRIES = 1000;

  public PeersPlan {
    kinds = List.copyOf(kinds);
    syncThreads = List.copyOf(syncThreads);
  }

  /**
   * Returns the plan of the command: transactions of 100 while loading.
   *
   * @param heapMegabytes of each JVM
   */
  public static PeersPlan of(
      List<PeerKind> kinds,
      PeerSize size,
      int threads,
      List<Integer> syncThreads,
      int heapMegabytes,
      Effort effort) {
    return new PeersPlan(
        kinds, size, BATCH, threads, syncThreads, SYNC_ENTRIES, heapMegabytes, effort);
  }

  /**
   * Returns the bytes of keys and values that are in memory at the same time, which is less than
   * they take there: all JVMs run at once. Pages of mapped files do not count, since the system can
   * drop them.
   */
  public long memoryBytes() {
    long holders = kinds.stream().filter(kind -> kind.isHowdah() || kind.isInMemory()).count();
    return holders * size.bytes();
  }

  /** Returns what a store is loaded with before synchronous commits are measured. */
  PeerSize syncSize() {
    return new PeerSize(Math.min(size.entries(), syncEntries), size.valueBytes(), size.keys());
  }

  /** Returns how much room on disk all stores together may take. */
  public long neededBytes() {
    long withFiles = kinds.stream().filter(kind -> !kind.isInMemory()).count();
    return withFiles * (20 * size.bytes() + (1L << 28));
  }
}

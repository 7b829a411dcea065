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
 * @param heapMegabytes of each JVM, beside the data of maps that keep it there
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
   * @param heapMegabytes of each JVM, beside the data of maps that keep it there
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

  /** Returns the memory that all stores take together at most: all their JVMs run at once. */
  public long memoryBytes() {
    return kinds.stream().mapToLong(kind -> PeerNeeds.memoryBytes(kind, size, heapMegabytes)).sum();
  }

  /** Returns what a store is loaded with before synchronous commits are measured. */
  PeerSize syncSize() {
    return new PeerSize(Math.min(size.entries(), syncEntries), size.valueBytes(), size.keys());
  }

  /** Returns the room on disk that all stores take together at most. */
  public long diskBytes() {
    return kinds.stream().mapToLong(kind -> PeerNeeds.diskBytes(kind, size)).sum();
  }
}

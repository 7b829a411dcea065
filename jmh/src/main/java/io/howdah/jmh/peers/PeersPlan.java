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
  private static final int HEAP_MEGABYTES = 1024;

  public PeersPlan {
    kinds = List.copyOf(kinds);
    syncThreads = List.copyOf(syncThreads);
  }

  /** Returns the plan of the command: transactions of 100 while loading, heaps of 1 GiB. */
  public static PeersPlan of(
      List<PeerKind> kinds, PeerSize size, int threads, List<Integer> syncThreads, Effort effort) {
    return new PeersPlan(
        kinds, size, BATCH, threads, syncThreads, SYNC_ENTRIES, HEAP_MEGABYTES, effort);
  }

  /** Returns what a store is loaded with before synchronous commits are measured. */
  PeerSize syncSize() {
    return new PeerSize(Math.min(size.entries(), syncEntries), size.valueBytes());
  }

  /** Returns how much room on disk all stores together may take. */
  public long neededBytes() {
    return kinds.size() * (20 * size.bytes() + (1L << 28));
  }
}

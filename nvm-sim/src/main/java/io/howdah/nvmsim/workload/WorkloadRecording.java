package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/** Runs a workload on its own and records it. */
public final class WorkloadRecording {
  /** Room for growth while it runs. */
  private static final int CAPACITY_FACTOR = 8;

  private static final int MAX_TRANSACTIONS = 1_000_000;
  private static final int MAX_OPERATIONS = 4096;
  private static final int MAX_SCALE = 256;

  private WorkloadRecording() {}

  /** Creates a workload in a heap. */
  @FunctionalInterface
  interface Maker {
    TransactionalWorkload create(TracedHeap heap, int footprintBytes);
  }

  /**
   * Records a workload of your own as {@link WorkloadKind#trace} does: the data just built and
   * committed, a warm-up, and the measured transactions.
   *
   * @param transactions to measure
   * @param operations per transaction
   * @param footprintScale times {@value WorkloadKind#FOOTPRINT_BYTES}
   */
  public static AccessTrace record(
      WorkloadProvider provider, int transactions, int operations, int footprintScale, long seed) {
    return record(
        provider::create,
        transactions,
        WorkloadKind.WARM_UP_OPERATIONS,
        operations,
        footprintScale,
        seed);
  }

  static AccessTrace record(
      Maker maker,
      int transactions,
      int warmUpOperations,
      int operations,
      int footprintScale,
      long seed) {
    check("transactions", transactions, MAX_TRANSACTIONS);
    check("warm-up operations", warmUpOperations, MAX_TRANSACTIONS);
    check("operations per transaction", operations, MAX_OPERATIONS);
    check("footprint scale", footprintScale, MAX_SCALE);
    int footprint = WorkloadKind.FOOTPRINT_BYTES * footprintScale;
    int warmUp = Math.ceilDiv(warmUpOperations, operations);
    long capacity =
        (long) CAPACITY_FACTOR * footprint
            + (long) (warmUp + transactions) * operations * 128
            + (1 << 20);
    try (TracedHeap heap = new TracedHeap(capacity)) {
      SplitMix random = new SplitMix(seed);
      TransactionalWorkload workload = maker.create(heap, footprint);
      workload.populate(random);
      heap.record(true);
      heap.built();
      for (int i = 0; i < warmUp + transactions; i++) {
        if (i == warmUp) {
          heap.measure();
        }
        heap.begin();
        for (int operation = 0; operation < operations; operation++) {
          workload.operate(random);
        }
        heap.commit();
      }
      heap.record(false);
      workload.check();
      return heap.trace();
    }
  }

  private static void check(String what, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(what + " must be 1 to " + most + ": " + value);
    }
  }
}

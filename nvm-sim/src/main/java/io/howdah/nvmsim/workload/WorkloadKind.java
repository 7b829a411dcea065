package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The workloads (LOC, §V-A and Table II, whose sizes did not survive), and transfers in the manner
 * of TPC-B. All of them start with about {@value #FOOTPRINT_BYTES} bytes of data:
 * docs/nvm-sim-loc.md says why they fit the last cache level.
 */
public enum WorkloadKind {
  BTREE("btree", "B+-tree, 4-KB nodes of 200 pairs, inserts and deletes"),
  HASH("hash", "chained hash table, 64-byte nodes, inserts and deletes"),
  RBTREE("rbtree", "red-black tree, 64-byte nodes, inserts and deletes"),
  SPS("sps", "swaps of random 64-byte array entries"),
  GRAPH("graph", "adjacency lists of a skewed graph, edges inserted and deleted"),
  DB("db", "page-based table, 16-byte keys, 100-byte values, mix of a key-value benchmark"),
  TPCB("tpcb", "transfers between accounts, with tellers, branches and history");

  /** Data of each workload at the start, about three quarters of the last cache level. */
  public static final int FOOTPRINT_BYTES = 768 << 10;

  /** Room for growth while it runs. */
  private static final int CAPACITY_FACTOR = 8;

  /**
   * Operations before the measured ones: docs/nvm-sim-loc.md has how far the means move with more.
   */
  public static final int WARM_UP_OPERATIONS = 2000;

  private static final int MAX_TRANSACTIONS = 1_000_000;
  private static final int MAX_OPERATIONS = 4096;
  private static final int MAX_SCALE = 256;

  private final String text;
  private final String description;

  WorkloadKind(String text, String description) {
    this.text = text;
    this.description = description;
  }

  public String text() {
    return text;
  }

  public String description() {
    return description;
  }

  /** Finds a workload by name. */
  public static WorkloadKind of(String text) {
    return Stream.of(values())
        .filter(kind -> kind.text.equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    String.format(
                        Locale.ROOT,
                        "no workload '%s'; there are %s",
                        text,
                        Stream.of(values()).map(WorkloadKind::text).toList())));
  }

  /**
   * Runs the workload on its own and records it. The trace begins with the data just built and
   * committed, goes on with {@value #WARM_UP_OPERATIONS} operations that are not measured, and then
   * has what is.
   *
   * @param transactions to measure
   * @param operations per transaction: the transaction size
   * @param footprintScale times {@value #FOOTPRINT_BYTES}
   */
  public AccessTrace trace(int transactions, int operations, int footprintScale, long seed) {
    return trace(transactions, WARM_UP_OPERATIONS, operations, footprintScale, seed);
  }

  /** The same with a warm-up of another length. */
  public AccessTrace trace(
      int transactions, int warmUpOperations, int operations, int footprintScale, long seed) {
    check("transactions", transactions, MAX_TRANSACTIONS);
    check("warm-up operations", warmUpOperations, MAX_TRANSACTIONS);
    check("operations per transaction", operations, MAX_OPERATIONS);
    check("footprint scale", footprintScale, MAX_SCALE);
    int footprint = FOOTPRINT_BYTES * footprintScale;
    int warmUp = Math.ceilDiv(warmUpOperations, operations);
    long capacity =
        (long) CAPACITY_FACTOR * footprint
            + (long) (warmUp + transactions) * operations * 128
            + (1 << 20);
    try (TracedHeap heap = new TracedHeap(capacity)) {
      SplitMix random = new SplitMix(seed);
      TransactionalWorkload workload = create(heap, footprint);
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

  private TransactionalWorkload create(TracedHeap heap, int footprint) {
    return switch (this) {
      case BTREE -> new BPlusTree(heap, footprint);
      case HASH -> new HashTable(heap, footprint);
      case RBTREE -> new RedBlackTree(heap, footprint);
      case SPS -> new ArraySwaps(heap, footprint);
      case GRAPH -> new AdjacencyGraph(heap, footprint);
      case DB -> new PageTable(heap, footprint);
      case TPCB -> new Transfers(heap, footprint);
    };
  }
}

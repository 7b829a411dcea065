package io.howdah.nvmsim.workload;

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

  /**
   * Operations before the measured ones: docs/nvm-sim-loc.md has how far the means move with more.
   */
  public static final int WARM_UP_OPERATIONS = 2000;

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
    return WorkloadRecording.record(
        this::create, transactions, warmUpOperations, operations, footprintScale, seed);
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

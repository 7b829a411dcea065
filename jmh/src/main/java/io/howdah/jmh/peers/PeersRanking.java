package io.howdah.jmh.peers;

import io.howdah.jmh.peers.PeerKind.DurabilityClass;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Howdah's sorted map beside the fastest of the other stores whose commits survive at least as
 * much, operation by operation.
 */
public final class PeersRanking {

  private final List<Row> rows;

  /**
   * What stores are compared by.
   *
   * @param metric the operation in names of figures
   * @param text the operation in words
   * @param name the operation as {@link PeerFindings} have it
   * @param isAny whether it does not matter what a commit without a wait survives: reads, and
   *     commits that wait
   * @param goal that Howdah's rate over the fastest other should reach; empty if there is none
   */
  public record Operation(
      String metric, String text, String name, boolean isAny, OptionalDouble goal) {

    private static Operation of(
        String metric, String text, String name, boolean isAny, double goal) {
      return new Operation(
          metric, text, name, isAny, goal == 0 ? OptionalDouble.empty() : OptionalDouble.of(goal));
    }

    private static Operation of(String metric, PeerWorkload workload, String text, double goal) {
      return of(metric, text, workload.name(), workload.puts() == 0, goal);
    }
  }

  /**
   * One operation's comparison.
   *
   * @param operation what is compared
   * @param own operations a second of Howdah's sorted map
   * @param fastest the fastest other store of the class
   * @param other its rate
   * @param ratios of Howdah's rate over its rate, of each round
   */
  public record Row(
      Operation operation, double own, PeerKind fastest, double other, List<Double> ratios) {

    /** Returns the median of the ratios. */
    public double ratio() {
      return median(ratios);
    }
  }

  private PeersRanking(List<Row> rows) {
    this.rows = List.copyOf(rows);
  }

  /**
   * Returns the operations, in the order of the workloads.
   *
   * @param syncThreads of synchronous commits, one operation each
   */
  public static List<Operation> operations(List<Integer> syncThreads) {
    List<Operation> operations =
        new ArrayList<>(
            List.of(
                Operation.of("load", "load, 100 entries a transaction", "LOAD", false, 1.5),
                Operation.of("bulk", "bulk load, ascending keys", PeerFindings.BULK, false, 0),
                Operation.of("get", PeerWorkload.GET, "point get", 2),
                Operation.of("scan", PeerWorkload.SCAN, "range scan of 100", 1.5),
                Operation.of("put", PeerWorkload.PUT, "put, async commit", 3),
                Operation.of("multi8", PeerWorkload.PUT_8, "8 puts, async commit", 4),
                Operation.of("mixed50", PeerWorkload.MIXED_50, "50/50, Zipf", 0),
                Operation.of("mixed95", PeerWorkload.MIXED_95, "95/5, Zipf", 0)));
    for (int threads : syncThreads) {
      String text = "put, sync commit, %d thread%s".formatted(threads, threads == 1 ? "" : "s");
      double goal = threads == 8 ? 2 : 0;
      operations.add(
          Operation.of("putSync" + threads, text, PeerFindings.sync(threads), true, goal));
    }
    return operations;
  }

  /** Compares what was found; an operation that Howdah or all others lack is left out. */
  public static PeersRanking of(PeersPlan plan, PeersStudy.Result found) {
    List<Row> rows = new ArrayList<>();
    for (Operation operation : operations(plan.syncThreads())) {
      add(rows, found, plan, operation);
    }
    return new PeersRanking(rows);
  }

  private static void add(
      List<Row> rows, PeersStudy.Result found, PeersPlan plan, Operation operation) {
    List<Double> own = rates(found.peers().get(PeerKind.HOWDAH), operation.name());
    PeerKind fastest = null;
    double highest = 0;
    for (PeerKind kind : plan.kinds()) {
      List<Double> rates = rates(found.peers().get(kind), operation.name());
      boolean compares =
          !kind.isHowdah()
              && !kind.isCeiling()
              && (operation.isAny() || kind.async() != DurabilityClass.MEMORY);
      if (compares && !rates.isEmpty() && median(rates) > highest) {
        highest = median(rates);
        fastest = kind;
      }
    }
    if (fastest == null || own.isEmpty()) {
      return;
    }
    List<Double> other = rates(found.peers().get(fastest), operation.name());
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(own.size(), other.size()); i++) {
      ratios.add(own.get(i) / other.get(i));
    }
    rows.add(new Row(operation, median(own), fastest, highest, List.copyOf(ratios)));
  }

  private static List<Double> rates(@Nullable PeerFindings findings, String name) {
    return findings == null
        ? List.of()
        : findings.answers(name).stream().map(PeerAnswer::perSecond).toList();
  }

  /** Returns an operation each, in the order of the workloads. */
  public List<Row> rows() {
    return rows;
  }

  private static double median(List<Double> samples) {
    List<Double> sorted = samples.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}

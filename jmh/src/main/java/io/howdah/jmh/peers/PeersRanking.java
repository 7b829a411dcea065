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
   * One operation.
   *
   * @param metric the operation in names of figures
   * @param text the operation in words
   * @param own operations a second of Howdah's sorted map
   * @param fastest the fastest other store of the class
   * @param other its rate
   * @param ratios of Howdah's rate over its rate, of each round
   * @param goal that the ratio should reach; empty if there is none
   */
  public record Row(
      String metric,
      String text,
      double own,
      PeerKind fastest,
      double other,
      List<Double> ratios,
      OptionalDouble goal) {

    /** Returns the median of the ratios. */
    public double ratio() {
      return median(ratios);
    }
  }

  private PeersRanking(List<Row> rows) {
    this.rows = List.copyOf(rows);
  }

  /** Compares what was found. */
  public static PeersRanking of(PeersPlan plan, PeersStudy.Result found) {
    List<Row> rows = new ArrayList<>();
    add(rows, found, plan, "load", "load, 100 entries a transaction", "LOAD", false, 1.5);
    add(rows, found, plan, "get", "point get", PeerWorkload.GET.name(), true, 2);
    add(rows, found, plan, "scan", "range scan of 100", PeerWorkload.SCAN.name(), true, 1.5);
    add(rows, found, plan, "put", "put, async commit", PeerWorkload.PUT.name(), false, 3);
    add(rows, found, plan, "multi8", "8 puts, async commit", PeerWorkload.PUT_8.name(), false, 4);
    add(rows, found, plan, "mixed50", "50/50, Zipf", PeerWorkload.MIXED_50.name(), false, 0);
    add(rows, found, plan, "mixed95", "95/5, Zipf", PeerWorkload.MIXED_95.name(), false, 0);
    for (int threads : plan.syncThreads()) {
      String text = "put, sync commit, %d thread%s".formatted(threads, threads == 1 ? "" : "s");
      double goal = threads == 8 ? 2 : 0;
      add(rows, found, plan, "putSync" + threads, text, PeerFindings.sync(threads), true, goal);
    }
    return new PeersRanking(rows);
  }

  /**
   * Adds a row, if Howdah and another store have measured it.
   *
   * @param isAny whether it does not matter what a commit without a wait survives: reads, and
   *     commits that wait
   * @param goal 0 for none
   */
  private static void add(
      List<Row> rows,
      PeersStudy.Result found,
      PeersPlan plan,
      String metric,
      String text,
      String name,
      boolean isAny,
      double goal) {
    List<Double> own = rates(found.peers().get(PeerKind.HOWDAH), name);
    PeerKind fastest = null;
    double highest = 0;
    for (PeerKind kind : plan.kinds()) {
      List<Double> rates = rates(found.peers().get(kind), name);
      boolean compares =
          !kind.isHowdah()
              && !kind.isCeiling()
              && (isAny || kind.async() != DurabilityClass.MEMORY);
      if (compares && !rates.isEmpty() && median(rates) > highest) {
        highest = median(rates);
        fastest = kind;
      }
    }
    if (fastest == null || own.isEmpty()) {
      return;
    }
    List<Double> other = rates(found.peers().get(fastest), name);
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(own.size(), other.size()); i++) {
      ratios.add(own.get(i) / other.get(i));
    }
    OptionalDouble wanted = goal == 0 ? OptionalDouble.empty() : OptionalDouble.of(goal);
    rows.add(new Row(metric, text, median(own), fastest, highest, List.copyOf(ratios), wanted));
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

package io.howdah.nvmsim.study.loc;

import static io.howdah.nvmsim.study.loc.LocCells.paper;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Traffic;
import io.howdah.nvmsim.study.loc.LocTargets.Band;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What must hold whatever the model's constants, for every workload and cache size, and the
 * published means, and the orders of the means at every latency, or it is a violation. An order of
 * a workload that fails with another transaction size, data size or latency, and a published ratio
 * outside its range, are misses: reported, no violation.
 */
final class LocGates {
  private static final double SAME = 0.01;
  private static final int LATENCY_NS = 168;

  /** Pairs that a protocol order names: the slower one first. */
  private static final Protocol[][] ORDERS = {
    {Protocol.S_WAL, Protocol.H_WAL},
    {Protocol.H_WAL, Protocol.EC_WAL},
    {Protocol.EC_WAL, Protocol.LOC_WAL},
    {Protocol.LOC_WAL, Protocol.LOC_KILN},
    {Protocol.H_WAL, Protocol.KILN},
    {Protocol.KILN, Protocol.LOC_KILN}
  };

  private final LocCells cells;
  private final List<String> violations = new ArrayList<>();
  private final List<String> misses = new ArrayList<>();

  private LocGates(LocCells cells) {
    this.cells = cells;
  }

  static LocGates check(LocCells cells, List<LocVariant> variants) {
    LocGates gates = new LocGates(cells);
    for (LocVariant variant : variants) {
      for (WorkloadKind workload : cells.workloads()) {
        gates.orders(workload, variant);
        gates.degrees(workload, variant);
        gates.latencies(workload, variant);
      }
    }
    if (cells.inMean().size() == WorkloadKind.values().length - 1) {
      gates.means();
      gates.ordersByLatency();
    }
    return gates;
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  /** What depends on what the paper does not say. */
  List<String> misses() {
    return List.copyOf(misses);
  }

  private void require(boolean holds, LocVariant variant, String what) {
    if (!holds) {
      boolean mandatory =
          variant.operations() == LocVariant.OPERATIONS
              && variant.banks() == LocVariant.HEADLINE.banks()
              && variant.footprintScale() == 1;
      (mandatory ? violations : misses).add(variant.name() + ": " + what);
    }
  }

  private void orders(WorkloadKind workload, LocVariant variant) {
    for (Protocol[] order : ORDERS) {
      double slower = cells.value(workload, variant, paper(order[0]));
      double faster = cells.value(workload, variant, paper(order[1]));
      require(slower < faster, variant, order(workload.text(), LATENCY_NS, order, slower, faster));
    }
  }

  /**
   * Orders at the other latencies of Figure 9: those of the means are mandatory, those of a single
   * workload are reported.
   */
  private void ordersByLatency() {
    LocVariant headline = LocVariant.HEADLINE;
    for (int latencyNs : LocRuns.LATENCIES_NS) {
      DeviceTiming memory = DeviceTiming.fixed(latencyNs);
      for (Protocol[] order : ORDERS) {
        Setting first = paper(order[0]).withMemory(memory);
        Setting second = paper(order[1]).withMemory(memory);
        double slower = cells.mean(headline, first);
        double faster = cells.mean(headline, second);
        if (!(slower < faster)) {
          violations.add(order("mean", latencyNs, order, slower, faster));
        }
        for (WorkloadKind workload : cells.workloads()) {
          double slowerHere = cells.value(workload, headline, first);
          double fasterHere = cells.value(workload, headline, second);
          if (latencyNs != LATENCY_NS && !(slowerHere < fasterHere)) {
            misses.add(order(workload.text(), latencyNs, order, slowerHere, fasterHere));
          }
        }
      }
    }
  }

  private static String order(
      String where, int latencyNs, Protocol[] order, double slower, double faster) {
    return String.format(
        Locale.ROOT,
        "%s, %d ns: %s %.4f is not below %s %.4f",
        where,
        latencyNs,
        order[0].text(),
        slower,
        order[1].text(),
        faster);
  }

  private void degrees(WorkloadKind workload, LocVariant variant) {
    double ec = cells.value(workload, variant, paper(Protocol.EC_WAL));
    double before = 0;
    long coalescedBefore = 0;
    for (int degree : LocRuns.DEGREES) {
      Setting setting = Setting.paper(Protocol.LOC_WAL, degree);
      double now = cells.value(workload, variant, setting);
      Traffic traffic = cells.first(workload, variant, setting).traffic();
      String at = workload.text() + ", LOC-WAL degree " + degree;
      require(now >= before, variant, at + " is slower than the degree before: " + now);
      require(traffic.coalesced() >= coalescedBefore, variant, at + " coalesces less than before");
      if (degree == 1) {
        require(Math.abs(now / ec - 1) <= SAME, variant, at + " is not EC-WAL: " + now + ", " + ec);
      }
      before = now;
      coalescedBefore = traffic.coalesced();
    }
    long ecLog = logLines(workload, variant, paper(Protocol.EC_WAL));
    long locLog = logLines(workload, variant, paper(Protocol.LOC_WAL));
    require(
        locLog <= ecLog,
        variant,
        workload.text() + ": LOC-WAL logs " + locLog + " lines, EC-WAL " + ecLog);
  }

  private long logLines(WorkloadKind workload, LocVariant variant, Setting setting) {
    return cells.first(workload, variant, setting).traffic().logLines();
  }

  private void latencies(WorkloadKind workload, LocVariant variant) {
    double hBefore = Double.MAX_VALUE;
    double ratioBefore = 0;
    for (int latencyNs : LocRuns.LATENCIES_NS) {
      DeviceTiming memory = DeviceTiming.fixed(latencyNs);
      double h = cells.value(workload, variant, paper(Protocol.H_WAL).withMemory(memory));
      double ratio = cells.value(workload, variant, paper(Protocol.LOC_WAL).withMemory(memory)) / h;
      String at = workload.text() + ", " + latencyNs + " ns: ";
      require(h < hBefore, variant, at + "H-WAL does not fall: " + h + " after " + hBefore);
      require(
          ratio > ratioBefore,
          variant,
          at + "LOC-WAL over H-WAL does not grow: " + ratio + " after " + ratioBefore);
      hBefore = h;
      ratioBefore = ratio;
    }
  }

  private void means() {
    LocVariant headline = LocVariant.HEADLINE;
    for (LocTargets.Mean mean : LocTargets.means()) {
      double ours =
          cells.mean(headline, Setting.paper(Protocol.of(mean.protocol()), mean.degree()));
      if (Math.abs(ours - mean.normalizedThroughput()) > mean.band()) {
        String what =
            String.format(
                Locale.ROOT,
                "mean of %s, degree %d: %.3f, published %.3f",
                mean.protocol(),
                mean.degree(),
                ours,
                mean.normalizedThroughput());
        violations.add(what);
      }
    }
    band(LocTargets.EAGER_COMMIT, ratio(paper(Protocol.EC_WAL), paper(Protocol.H_WAL)));
    double gain = ratio(Setting.paper(Protocol.LOC_WAL, 32), Setting.paper(Protocol.LOC_WAL, 1));
    band(LocTargets.SPECULATION, gain);
  }

  private double ratio(Setting over, Setting under) {
    return cells.mean(LocVariant.HEADLINE, over) / cells.mean(LocVariant.HEADLINE, under);
  }

  private void band(Band band, double ours) {
    if (ours < band.least() || ours > band.most()) {
      misses.add(
          String.format(
              Locale.ROOT,
              "%s: %.3f, published %.3f, expected %.2f to %.2f",
              band.what(),
              ours,
              band.published(),
              band.least(),
              band.most()));
    }
  }
}

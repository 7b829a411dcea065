package io.howdah.cli.sim;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.crash.loc.PlantedMistakes;
import io.howdah.nvmsim.crash.loc.PlantedMistakes.Hunt;
import io.howdah.nvmsim.crash.loc.PowerCutResult;
import io.howdah.nvmsim.crash.loc.PowerCuts;
import io.howdah.nvmsim.loc.Fault;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Power cuts of every protocol, and the mistakes that they must find. */
final class LocCuts {
  private static final int[] SMALL_DEGREES = {1, 2, 4, 8};
  private static final int LARGE_TRANSACTIONS = 150;
  private static final int QUICK_TRANSACTIONS = 40;
  private static final int LARGE_CUTS = 100;
  private static final int QUICK_CUTS = 20;
  private static final int SMALL_SEEDS = 60;
  private static final int QUICK_SEEDS = 6;
  private static final int MOST_SEEDS = 200;

  private final boolean quick;
  private final List<WorkloadKind> workloads;
  private final PrintWriter out;

  /**
   * @param quick whether to do with a tenth of the cuts
   */
  LocCuts(boolean quick, List<WorkloadKind> workloads, PrintWriter out) {
    this.quick = quick;
    this.workloads = List.copyOf(workloads);
    this.out = out;
  }

  void run(MetricsRun run, Progress progress) {
    String title = "Power cuts: states that recovery ran on, and states cut again while it ran";
    out.println();
    out.println(title);
    out.println("-".repeat(title.length()));
    double states = 0;
    int done = 0;
    for (Protocol protocol : Protocol.values()) {
      if (protocol != Protocol.BASE) {
        progress.show("power cuts, " + protocol.text(), 0.7 * done++ / Protocol.values().length);
        Tally small = small(protocol, run);
        Tally large = large(protocol, run);
        states += small.states + large.states;
        out.println(
            String.format(
                Locale.ROOT,
                "%-9s small runs %9d (%d), workloads %6d (%d), %d violations",
                protocol.text(),
                small.states,
                small.secondCuts,
                large.states,
                large.secondCuts,
                small.violations + large.violations));
      }
    }
    Tally beside = new Tally();
    for (boolean atomicGroups : new boolean[] {true, false}) {
      for (int degree : SMALL_DEGREES) {
        small(new PowerCuts(Protocol.LOC_WAL, degree, atomicGroups, true, Fault.NONE), beside, run);
      }
    }
    states += beside.states;
    out.println(
        String.format(
            Locale.ROOT,
            "LOC-WAL, home writes beside the next window: small runs %d (%d), %d violations",
            beside.states,
            beside.secondCuts,
            beside.violations));
    run.add(Metric.single("loc.powerCuts.states", "count", states, Map.of()));
    planted(run, progress);
  }

  private static final class Tally {
    private long states;
    private long secondCuts;
    private int violations;

    void add(PowerCutResult result, MetricsRun run) {
      states += result.states();
      secondCuts += result.secondCuts();
      result
          .violation()
          .ifPresent(
              what -> {
                violations++;
                run.violation(what);
              });
    }
  }

  private Tally small(Protocol protocol, MetricsRun run) {
    Tally tally = new Tally();
    for (boolean atomicGroups : new boolean[] {true, false}) {
      for (int degree : protocol.speculative() ? SMALL_DEGREES : new int[] {1}) {
        small(new PowerCuts(protocol, degree, atomicGroups, Fault.NONE), tally, run);
      }
    }
    return tally;
  }

  private void small(PowerCuts cuts, Tally tally, MetricsRun run) {
    int seeds = quick ? QUICK_SEEDS : SMALL_SEEDS;
    for (int seed = 1; seed <= seeds && tally.violations == 0; seed++) {
      tally.add(cuts.small(seed), run);
    }
  }

  private Tally large(Protocol protocol, MetricsRun run) {
    Tally tally = new Tally();
    int transactions = quick ? QUICK_TRANSACTIONS : LARGE_TRANSACTIONS;
    int degree = protocol.speculative() ? Protocol.DEFAULT_DEGREE : 1;
    for (WorkloadKind workload : workloads) {
      for (boolean atomicGroups : new boolean[] {true, false}) {
        PowerCuts cuts = new PowerCuts(protocol, degree, atomicGroups, Fault.NONE);
        tally.add(cuts.large(workload, transactions, quick ? QUICK_CUTS : LARGE_CUTS, 1), run);
      }
    }
    return tally;
  }

  private void planted(MetricsRun run, Progress progress) {
    List<Hunt> hunts = new ArrayList<>();
    for (PowerCuts cuts : PlantedMistakes.all()) {
      progress.show("planted mistakes", 0.7 + 0.3 * hunts.size() / Fault.values().length);
      hunts.add(PlantedMistakes.hunt(cuts, MOST_SEEDS));
    }
    out.println();
    out.println("Planted mistakes");
    out.println("----------------");
    int caught = 0;
    for (Hunt hunt : hunts) {
      caught += hunt.found().isPresent() ? 1 : 0;
      out.println(
          String.format(
              Locale.ROOT,
              "%-20s in %-8s %s after %d runs, %d states",
              hunt.cuts().fault(),
              hunt.cuts().protocol().text(),
              hunt.found().isPresent() ? "found" : "NOT FOUND",
              hunt.seeds(),
              hunt.states()));
      if (hunt.found().isEmpty()) {
        run.violation("planted mistake not found: " + hunt.cuts().fault());
      }
    }
    run.add(Metric.single("loc.planted.total", "count", hunts.size(), Map.of()));
    run.add(Metric.single("loc.planted.caught", "count", caught, Map.of()));
  }
}

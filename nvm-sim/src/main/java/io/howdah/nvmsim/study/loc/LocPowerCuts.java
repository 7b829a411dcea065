package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.crash.loc.PlantedMistakes;
import io.howdah.nvmsim.crash.loc.PlantedMistakes.Hunt;
import io.howdah.nvmsim.crash.loc.PowerCutResult;
import io.howdah.nvmsim.crash.loc.PowerCuts;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Rule;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Power cuts of every protocol, and the mistakes that they must find. */
final class LocPowerCuts {
  private static final int[] SMALL_DEGREES = {1, 2, 4, 8};
  private static final int LARGE_TRANSACTIONS = 150;
  private static final int QUICK_TRANSACTIONS = 40;
  private static final int LARGE_CUTS = 100;
  private static final int QUICK_CUTS = 20;
  private static final int SMALL_SEEDS = 60;
  private static final int QUICK_SEEDS = 6;
  private static final int MAX_SEEDS = 200;

  private final boolean quick;
  private final List<WorkloadKind> workloads;
  private final StudyReport report;

  /**
   * @param quick whether to do with a tenth of the cuts
   */
  LocPowerCuts(boolean quick, List<WorkloadKind> workloads, StudyReport report) {
    this.quick = quick;
    this.workloads = List.copyOf(workloads);
    this.report = report;
  }

  void run(StudyProgress progress) {
    report.title("Power cuts: states that recovery ran on, and states cut again while it ran");
    double states = 0;
    int done = 0;
    for (Protocol protocol : Protocol.values()) {
      if (protocol != Protocol.BASE) {
        progress.show("power cuts, " + protocol.text(), 0.7 * done++ / Protocol.values().length);
        Tally small = small(protocol);
        Tally large = large(protocol);
        states += small.states + large.states;
        report.line(
            "%-9s small runs %9d (%d), workloads %6d (%d), %d violations",
            protocol.text(),
            small.states,
            small.secondCuts,
            large.states,
            large.secondCuts,
            small.violations + large.violations);
      }
    }
    Tally beside = new Tally();
    for (boolean atomicGroups : new boolean[] {true, false}) {
      for (int degree : SMALL_DEGREES) {
        small(new PowerCuts(Protocol.LOC_WAL, degree, atomicGroups, true, null), beside);
      }
    }
    states += beside.states;
    report.line(
        "LOC-WAL, home writes beside the next window: small runs %d (%d), %d violations",
        beside.states, beside.secondCuts, beside.violations);
    report.add(StudyValue.single("loc.powerCuts.states", "count", states, Map.of()));
    planted(progress);
  }

  private final class Tally {
    private long states;
    private long secondCuts;
    private int violations;

    void add(PowerCutResult result) {
      states += result.states();
      secondCuts += result.secondCuts();
      result
          .violation()
          .ifPresent(
              what -> {
                violations++;
                report.violation(what);
              });
    }
  }

  private Tally small(Protocol protocol) {
    Tally tally = new Tally();
    for (boolean atomicGroups : new boolean[] {true, false}) {
      for (int degree : protocol.speculative() ? SMALL_DEGREES : new int[] {1}) {
        small(new PowerCuts(protocol, degree, atomicGroups, null), tally);
      }
    }
    return tally;
  }

  private void small(PowerCuts cuts, Tally tally) {
    int seeds = quick ? QUICK_SEEDS : SMALL_SEEDS;
    for (int seed = 1; seed <= seeds && tally.violations == 0; seed++) {
      tally.add(cuts.small(seed));
    }
  }

  private Tally large(Protocol protocol) {
    Tally tally = new Tally();
    int transactions = quick ? QUICK_TRANSACTIONS : LARGE_TRANSACTIONS;
    int degree = protocol.speculative() ? Protocol.DEFAULT_DEGREE : 1;
    for (WorkloadKind workload : workloads) {
      for (boolean atomicGroups : new boolean[] {true, false}) {
        PowerCuts cuts = new PowerCuts(protocol, degree, atomicGroups, null);
        tally.add(cuts.large(workload, transactions, quick ? QUICK_CUTS : LARGE_CUTS, 1));
      }
    }
    return tally;
  }

  private void planted(StudyProgress progress) {
    List<Hunt> hunts = new ArrayList<>();
    for (PowerCuts cuts : PlantedMistakes.all()) {
      progress.show("planted mistakes", 0.7 + 0.3 * hunts.size() / Rule.values().length);
      hunts.add(PlantedMistakes.hunt(cuts, MAX_SEEDS));
    }
    report.title("Planted mistakes");
    int caught = 0;
    for (Hunt hunt : hunts) {
      caught += hunt.found().isPresent() ? 1 : 0;
      report.line(
          "without %-26s in %-8s %s after %d runs, %d states",
          String.valueOf(hunt.cuts().omitted()),
          hunt.cuts().protocol().text(),
          hunt.found().isPresent() ? "found" : "NOT FOUND",
          hunt.seeds(),
          hunt.states());
      if (hunt.found().isEmpty()) {
        report.violation("planted mistake not found: without " + hunt.cuts().omitted());
      }
    }
    report.add(StudyValue.single("loc.planted.total", "count", hunts.size(), Map.of()));
    report.add(StudyValue.single("loc.planted.caught", "count", caught, Map.of()));
  }
}

package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.crash.loc.PowerCutResult;
import io.howdah.nvmsim.crash.loc.PowerCuts;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.List;
import java.util.Map;

/** Power cuts of every protocol. */
final class LocPowerCuts {
  private static final int[] SMALL_DEGREES = {1, 2, 4, 8};
  private static final int LARGE_TRANSACTIONS = 150;
  private static final int QUICK_TRANSACTIONS = 40;
  private static final int LARGE_CUTS = 100;
  private static final int QUICK_CUTS = 20;
  private static final int SMALL_SEEDS = 60;
  private static final int QUICK_SEEDS = 6;

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
        progress.show("power cuts, " + protocol.text(), (double) done++ / Protocol.values().length);
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
        small(new PowerCuts(Protocol.LOC_WAL, degree, atomicGroups, true), beside);
      }
    }
    states += beside.states;
    report.line(
        "LOC-WAL, home writes beside the next window: small runs %d (%d), %d violations",
        beside.states, beside.secondCuts, beside.violations);
    report.add(StudyValue.single("loc.powerCuts.states", "count", states, Map.of()));
  }

  /** Power cuts of an own protocol in small runs, if it recovers. */
  static void own(ProtocolProvider provider, int degree, StudyReport report) {
    if (!provider.recovers()) {
      report.line("%s has no recovery: its power is not cut", provider.name());
      return;
    }
    PowerCuts cuts = new PowerCuts(provider, degree);
    LocPowerCuts campaign = new LocPowerCuts(false, List.of(), report);
    Tally tally = campaign.new Tally();
    campaign.small(cuts, tally);
    report.line(
        "Power cuts of %s: %d states recovered, %d of them cut again while recovering, %d"
            + " violations",
        provider.name(), tally.states, tally.secondCuts, tally.violations);
    report.add(
        StudyValue.single(
            "loc.powerCuts.states",
            "count",
            (double) tally.states,
            Map.of("protocol", provider.name())));
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
        small(new PowerCuts(protocol, degree, atomicGroups), tally);
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
        PowerCuts cuts = new PowerCuts(protocol, degree, atomicGroups);
        tally.add(cuts.large(workload, transactions, quick ? QUICK_CUTS : LARGE_CUTS, 1));
      }
    }
    return tally;
  }
}

package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.dag.RedundantBarriers;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.RaceDetector;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.record.InterleavingCheck;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import io.howdah.nvmsim.study.report.Discrepancy;
import io.howdah.nvmsim.study.report.StudyReport;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Prints the study for a person. */
final class PersistencyReport {
  private static final int RACE_THREADS = 4;
  private static final int RACE_INSERTS = 64;
  private static final int SHOWN_RACES = 3;

  /** Levels per insert that are told apart. */
  private static final double SAME_LEVELS = 0.00005;

  private final List<Cell> cells;
  private final HostRates host;
  private final StudyReport report;

  PersistencyReport(List<Cell> cells, HostRates host, StudyReport report) {
    this.cells = cells;
    this.host = host;
    this.report = report;
  }

  void table1() {
    report.title("Table 1: persist-bound insert rate over instruction rate, 500 ns persists");
    report.line(
        "%-12s %3s  %-15s %13s %17s  %9s %9s %7s   %s",
        "queue",
        "thr",
        "model",
        "levels/insert",
        "over schedules",
        "paper",
        "model",
        "off",
        "on this host");
    for (Cell cell : cells) {
      if (!isTable1(cell)) {
        continue;
      }
      String family = cell.queue().substring(0, 3);
      double levels = cell.path().perOperation();
      Optional<Double> insertNs = PersistencyTargets.insertNs(family, cell.threads());
      String model = insertNs.map(ns -> rate(normalized(ns, levels))).orElse("-");
      Optional<PersistencyTargets.Cell> paper =
          PersistencyTargets.table1(family, cell.threads(), paperModel(cell));
      String published = paper.map(p -> rate(p.normalizedRate())).orElse("-");
      String off = "";
      if (paper.isPresent() && insertNs.isPresent() && !cell.label().equals("strand")) {
        double ratio = normalized(insertNs.get(), levels) / paper.get().normalizedRate();
        off = String.format(Locale.ROOT, "%+.1f%%", (ratio - 1) * 100);
      }
      String here =
          host.of(family, cell.threads())
              .map(rate -> rate(normalized(rate.medianNs(), levels)))
              .orElse("-");
      report.line(
          "%-12s %3d  %-15s %13.4f %17s  %9s %9s %7s   %s",
          cell.queue(),
          cell.threads(),
          cell.label(),
          levels,
          band(cell),
          published,
          model,
          off,
          here);
    }
    report.line(
        "over schedules: least and most levels over %d seeds; nothing where there is one schedule,",
        PersistencyRuns.SCHEDULES);
    report.line("or where they agree. levels/insert is the middle one.");
    report.line(
        "paper: as printed. model: with the paper's time per insert, which its table implies");
    report.line(
        "(CWL 238 and 404 ns, 2LC 560 and 425 ns for 1 and 8 threads). strand-limited: a persist");
    report.line("absorbs at most %d stores.", PersistencyTargets.STRAND_STORES_PER_PERSIST);
    for (HostRates.Rate rate : host.rates()) {
      report.line(
          "this host, %s, %d threads: %.0f ns per insert (%.0f to %.0f over %d samples)%s",
          rate.family(),
          rate.threads(),
          rate.medianNs(),
          rate.insertNs().getFirst(),
          rate.insertNs().getLast(),
          rate.insertNs().size(),
          rate.threads() > Runtime.getRuntime().availableProcessors()
              ? ", more threads than processors"
              : "");
    }
  }

  private static String band(Cell cell) {
    DoubleSummaryStatistics levels = cell.levels();
    return levels.getMax() - levels.getMin() < SAME_LEVELS
        ? ""
        : String.format(Locale.ROOT, "%.4f to %.4f", levels.getMin(), levels.getMax());
  }

  private static boolean isTable1(Cell cell) {
    return PersistencyValues.base(cell)
        && (cell.queue().equals("CWL")
            || cell.queue().equals("2LC-listed")
            || cell.queue().equals("2LC-paper"));
  }

  private static String paperModel(Cell cell) {
    return cell.label().equals(PersistencyRuns.STRAND_LIMITED) ? "strand" : cell.label();
  }

  private static double normalized(double insertNs, double levels) {
    return ThroughputRule.normalized(insertNs, levels, PersistencyTargets.TABLE1_PERSIST_NS);
  }

  private static String rate(double value) {
    if (value >= 1000) {
      return ">1000";
    }
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
  }

  void figure3() {
    report.title("Figure 3: persist latency at which CWL, 1 thread, becomes persist-bound");
    double insertNs = PersistencyTargets.insertNs("CWL", 1).orElseThrow();
    for (Cell cell : cells) {
      if (cell.queue().equals("CWL") && cell.threads() == 1 && PersistencyValues.base(cell)) {
        String paper =
            PersistencyTargets.breakEvenNs(paperModel(cell))
                .map(ns -> String.format(Locale.ROOT, "%.0f ns", ns))
                .orElse("-");
        report.line(
            "%-15s %12.1f ns   paper %s",
            cell.label(), ThroughputRule.breakEvenNs(insertNs, cell.path().perOperation()), paper);
      }
    }
  }

  void sweeps() {
    report.title("Figures 4 and 5: levels per insert, CWL, 1 thread");
    TreeMap<String, TreeMap<Integer, Double>> persist = new TreeMap<>();
    TreeMap<String, TreeMap<Integer, Double>> tracking = new TreeMap<>();
    for (Cell cell : cells) {
      if (!PersistencyPlots.isSweep(cell)) {
        continue;
      }
      AnalysisOptions options = cell.path().options();
      if (options.trackingGranularity() == 8) {
        persist
            .computeIfAbsent(cell.label(), _ -> new TreeMap<>())
            .put(options.persistGranularity(), cell.path().perOperation());
      }
      if (options.persistGranularity() == 8) {
        tracking
            .computeIfAbsent(cell.label(), _ -> new TreeMap<>())
            .put(options.trackingGranularity(), cell.path().perOperation());
      }
    }
    persist.forEach((model, row) -> sweep("persist size", model, row));
    tracking.forEach((model, row) -> sweep("tracking size", model, row));
  }

  private void sweep(String what, String model, Map<Integer, Double> row) {
    StringBuilder text = new StringBuilder();
    row.forEach(
        (bytes, levels) -> text.append(String.format(Locale.ROOT, "  %d B: %.2f", bytes, levels)));
    report.line("%-13s %-15s%s", what, model, text);
  }

  void variants() {
    report.title("Two-lock queue with more barriers: levels per insert");
    for (Cell cell : cells) {
      if (!isTable1(cell) && PersistencyValues.base(cell) && cell.queue().startsWith("2LC")) {
        report.line(
            "%-12s %3d  %-15s %13.4f  %s",
            cell.queue(), cell.threads(), cell.label(), cell.path().perOperation(), band(cell));
      }
    }
  }

  void inTurn(List<Cell> inTurn) {
    report.title(
        "The same with threads in turn, one event each: they keep step with the two locks");
    for (Cell cell : inTurn) {
      double levels = cell.path().perOperation();
      String rate =
          PersistencyTargets.insertNs(cell.queue().substring(0, 3), cell.threads())
              .map(ns -> rate(normalized(ns, levels)))
              .orElse("-");
      report.line(
          "%-12s %3d  %-15s %13.4f levels, rate %s",
          cell.queue(), cell.threads(), cell.label(), levels, rate);
    }
  }

  void litmus() {
    report.title(
        "Figure 1: stores reordered across persist barriers, with strong persist atomicity");
    report.line("as in the figure:                  %s", cycle(new CoherenceCycle(true, true)));
    report.line("persist barriers order stores too: %s", cycle(new CoherenceCycle(false, true)));
    report.line("without strong persist atomicity:  %s", cycle(new CoherenceCycle(true, false)));
  }

  private static String cycle(CoherenceCycle test) {
    return test.search()
        .map(found -> "cycle " + found.cycle() + " when visible in order " + found.visibility())
        .orElse("no cycle");
  }

  void races() {
    report.title("Persist-epoch races, " + RACE_THREADS + " threads, " + RACE_INSERTS + " inserts");
    for (QueueSpec queue :
        List.of(
            QueueSpec.cwl(),
            QueueSpec.cwlRacing(),
            QueueSpec.twoLockListed(),
            QueueSpec.twoLockRepaired(),
            QueueSpec.twoLockFenced())) {
      RaceDetector detector = new RaceDetector(AnalysisOptions.DEFAULT);
      QueueRun.trace(queue, RACE_THREADS, RACE_INSERTS, Policies.random(1), detector);
      List<RaceDetector.Race> races = detector.races();
      String barriers = queue.equals(QueueSpec.cwlRacing()) ? " without barriers at the lock" : "";
      report.line("%s%s: %d pairs of places race", queue.name(), barriers, races.size());
      races.stream().limit(SHOWN_RACES).forEach(race -> report.line("  %s", race));
    }
  }

  void barriers() {
    report.title("Persist barriers that order nothing, epoch persistency, 4 threads, 8 inserts");
    for (QueueSpec queue :
        List.of(QueueSpec.cwl(), QueueSpec.twoLockPaper(), QueueSpec.twoLockFenced())) {
      RedundantBarriers found = RedundantBarriers.find(QueueOrder.trace(queue, 4, 8), Models.EPOCH);
      report.line(
          "%s: %d of %d barrier sites can go at once: %s",
          queue.name(), found.removable().size(), found.barriers().size(), found.removable());
    }
  }

  void discrepancies() {
    report.discrepancies(Discrepancy.memoryPersistency());
  }

  void interleaving(InterleavingCheck check, double level) {
    report.title("Does recording change how real threads mix?");
    report.line(
        "insert distances, native against recorded, CWL, 2 threads: D = %.3f, p = %.3f (%d and %d"
            + " samples): %s",
        check.test().statistic(),
        check.test().probability(),
        check.nativeDistances().size(),
        check.tracedDistances().size(),
        check.test().probability() > level
            ? "no difference seen"
            : "they differ, as they do when the threads must share processors with other work");
  }

  void speeds(List<AnalyserSpeed> speeds) {
    report.title("Speed, one core");
    for (AnalyserSpeed speed : speeds) {
      DoubleSummaryStatistics samples =
          speed.eventsPerSecond().stream().mapToDouble(Double::doubleValue).summaryStatistics();
      report.line(
          "%-40s %s %.1f M events/s (%.1f to %.1f)",
          speed.name(),
          speed.model(),
          speed.value().value() / 1e6,
          samples.getMin() / 1e6,
          samples.getMax() / 1e6);
    }
  }
}

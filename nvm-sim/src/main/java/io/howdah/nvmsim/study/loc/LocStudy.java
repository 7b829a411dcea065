package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.report.StudyReport;

/**
 * The evaluation of Loose-Ordering Consistency: Figures 6 to 9 and the write traffic, sensitivity
 * to what the paper does not name, and power cuts in the middle of each protocol.
 */
public final class LocStudy {
  private LocStudy() {}

  /** Runs the plan on all processors. The same plan gives the same values, but for speeds. */
  public static StudyOutcome run(LocPlan plan, StudyProgress progress) throws InterruptedException {
    LocRuns runs = new LocRuns(plan);
    LocCells cells = runs.run(progress);
    StudyReport report = new StudyReport();
    LocGates gates = LocGates.check(cells, runs.variants());
    gates.violations().forEach(report::violation);
    LocReport text = new LocReport(cells, runs.variants(), report);
    text.figures();
    text.ratios();
    text.latencies();
    text.devices(runs.devices());
    text.costs();
    text.traffic();
    if (!plan.quick()) {
      text.calibration();
    }
    text.sensitivity();
    text.gates(gates);
    LocValues.add(report, cells, runs);
    new LocPowerCuts(plan.quick(), cells.workloads(), report).run(progress);
    report.line("");
    report.line(
        "%d runs, %.1f M memory instructions per second and core",
        runs.runs(), runs.memoryInstructionsPerSec() / 1e6);
    return report.outcome(
        folder -> {
          LocPlots.write(folder, cells, runs.variants());
          LocCsv.write(folder, cells);
        });
  }
}

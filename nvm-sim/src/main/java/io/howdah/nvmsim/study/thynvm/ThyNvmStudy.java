package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.crash.thynvm.CrashChecks;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import java.util.Map;

/**
 * The evaluation of ThyNVM: Figures 7 to 12, ablations, the counts of the authors' controller, and
 * crash checks.
 */
public final class ThyNvmStudy {
  private ThyNvmStudy() {}

  /** Runs the plan on all processors. The same plan gives the same values, but for speeds. */
  public static StudyOutcome run(ThyNvmPlan plan, StudyProgress progress)
      throws InterruptedException {
    ThyNvmResult result = new ThyNvmRuns(plan).run(progress);
    CrashChecks crash =
        CrashChecks.run(plan.quick(), share -> progress.show("crash checks", share));
    StudyReport report = new StudyReport();
    new ThyNvmReport(result, report).all(crash);
    result.figures().forEach(report::add);
    single(report, "thynvm.memoryInstructionsPerSec", "1/s", result.accessesPerSec());
    single(report, "thynvm.requestsPerSec", "1/s", result.requestsPerSec());
    single(report, "thynvm.crash.points", "points", (double) crash.points());
    single(report, "thynvm.crash.states", "states", (double) crash.states());
    return report.outcome(
        folder -> {
          for (Mode mode : plan.modes()) {
            ThyNvmPlots.write(result, mode, folder);
          }
          ThyNvmCsv.write(result, folder);
        });
  }

  private static void single(StudyReport report, String name, String unit, double value) {
    report.add(StudyValue.single(name, unit, value, Map.of()));
  }
}

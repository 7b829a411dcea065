package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.record.InterleavingCheck;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import io.howdah.nvmsim.study.report.StudyReport;
import java.util.List;

/**
 * The evaluation of memory persistency: Table 1 and Figures 1 to 5, with the paper's instruction
 * rates and with this host's. For one thread.
 */
public final class PersistencyStudy {
  private static final int INTERLEAVING_INSERTS = 5000;
  private static final int INTERLEAVING_ROUNDS = 16;
  private static final double SAME_DISTRIBUTION = 0.01;

  private final PersistencyPlan plan;
  private final PersistencyRuns runs;

  /**
   * Prepares a study.
   *
   * @throws IllegalArgumentException if the plan names a model that does not exist
   */
  public PersistencyStudy(PersistencyPlan plan) {
    this.plan = plan;
    runs = new PersistencyRuns(plan);
  }

  /** The models that the plan names. */
  public List<PersistencyModel> models() {
    return runs.analysedModels();
  }

  /** Runs the plan. The same plan gives the same values, but for this host's rates and speeds. */
  public StudyOutcome run(StudyProgress progress) throws InterruptedException {
    StudyReport report = new StudyReport();
    List<Cell> cells = runs.run(progress);
    cells.forEach(cell -> ExactRows.check(cell).ifPresent(report::violation));
    HostRates host = HostRates.measure(plan.threads(), plan.nativeInserts(), progress);
    PersistencyReport text = new PersistencyReport(cells, host, report);
    text.table1();
    text.figure3();
    text.sweeps();
    text.variants();
    text.inTurn(runs.inTurn(progress));
    text.litmus();
    text.races();
    text.barriers();
    text.discrepancies();
    PersistencyValues.add(report, cells, host);
    if (plan.nativeInserts() > 0) {
      hostSpeeds(report, text, progress);
    }
    return report.outcome(
        folder -> {
          PersistencyPlots.write(folder, cells);
          PersistencyCsv.write(folder, cells, host);
        });
  }

  private void hostSpeeds(StudyReport report, PersistencyReport text, StudyProgress progress)
      throws InterruptedException {
    InterleavingCheck check =
        InterleavingCheck.run(QueueSpec.cwl(), 2, INTERLEAVING_INSERTS, INTERLEAVING_ROUNDS);
    text.interleaving(check, SAME_DISTRIBUTION);
    PersistencyValues.addInterleaving(report, check);
    List<AnalyserSpeed> speeds = AnalyserSpeed.measure(models(), progress);
    speeds.forEach(speed -> report.add(speed.value()));
    text.speeds(speeds);
  }
}

package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPath;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.trace.TraceFiles;
import io.howdah.nvmsim.trace.TraceFormatException;
import io.howdah.nvmsim.trace.TraceSink;
import io.howdah.nvmsim.trace.TraceSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A recorded trace under every model asked for, in one pass. */
public final class TraceAnalysis {
  private TraceAnalysis() {}

  /** A trace may have write-backs, which the paper's models ignore. */
  private static List<PersistencyModel> withWriteBacks(List<PersistencyModel> models) {
    List<PersistencyModel> all = new ArrayList<>(models);
    if (all.containsAll(Models.all())) {
      all.add(Models.WRITE_BACK);
    }
    return all;
  }

  /**
   * Analyses a file under these models, and under {@link Models#WRITE_BACK} if they are all of the
   * paper's.
   *
   * @throws TraceFormatException if it is no trace; names the place
   */
  public static StudyOutcome run(Path file, List<PersistencyModel> models) throws IOException {
    StudyReport report = new StudyReport();
    List<CriticalPathAnalyzer> analyzers = new ArrayList<>();
    for (PersistencyModel model : withWriteBacks(models)) {
      analyzers.add(new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT));
    }
    long events;
    try (TraceSource source = TraceFiles.open(file)) {
      events = source.feed(analyzers.toArray(TraceSink[]::new));
    }
    report.line("%s: %d events, granularity 8 bytes", file, events);
    report.line(
        "%-16s%12s%12s%14s%14s", "model", "levels", "operations", "levels per op", "persists");
    for (CriticalPathAnalyzer analyzer : analyzers) {
      CriticalPath path = analyzer.result();
      Map<String, Object> params = Map.of("model", path.model(), "trace", file.toString());
      report.add(
          StudyValue.single(
              "persistency.trace.criticalPath", "levels", (double) path.length(), params));
      report.add(
          StudyValue.single(
              "persistency.trace.persists", "count", (double) path.persistsPerformed(), params));
      report.line(
          "%-16s%12d%12d%14s%14d",
          path.model(),
          path.length(),
          path.operations(),
          path.operations() == 0 ? "-" : String.format(Locale.ROOT, "%.3f", path.perOperation()),
          path.persistsPerformed());
    }
    return report.outcome();
  }
}

package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.CriticalPath;
import io.howdah.nvmsim.record.InterleavingCheck;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import io.howdah.nvmsim.study.report.StudyReport;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds the study's values to its report. */
final class PersistencyValues {
  private static final String PREFIX = "persistency.";

  private PersistencyValues() {}

  static void add(StudyReport report, List<Cell> cells, HostRates host) {
    for (Cell cell : cells) {
      boolean published =
          !cell.queue().equals("2LC-repaired") && !cell.queue().equals("2LC-fenced");
      boolean limited = cell.label().equals(PersistencyRuns.STRAND_LIMITED);
      String group = (published ? "" : "variant.") + (limited ? "limitedMerging." : "");
      Map<String, Object> params = params(cell, published);
      report.add(
          StudyValue.median(
              PREFIX + group + "criticalPathPerInsert",
              "levels",
              cell.paths().stream().mapToDouble(CriticalPath::perOperation).toArray(),
              params));
      if (published && base(cell)) {
        table1(report, cell, group, params, host);
      }
    }
    breakEvens(report, cells);
    host.rates()
        .forEach(
            rate -> {
              report.add(
                  StudyValue.median(
                      PREFIX + "hostInsertNanos",
                      "ns",
                      rate.insertNs().stream().mapToDouble(Double::doubleValue).toArray(),
                      Map.of("family", rate.family(), "threads", rate.threads())));
              if (rate.noisy()) {
                report.markNoisy();
              }
            });
  }

  private static Map<String, Object> params(Cell cell, boolean published) {
    Map<String, Object> params = new TreeMap<>();
    params.put(published ? "queue" : "variant", cell.queue());
    params.put("model", model(cell));
    params.put("threads", cell.threads());
    params.put("persistGranularity", cell.path().options().persistGranularity());
    params.put("trackingGranularity", cell.path().options().trackingGranularity());
    if (cell.path().options().maxStoresPerPersist() > 0) {
      params.put("maxStoresPerPersist", cell.path().options().maxStoresPerPersist());
    }
    return params;
  }

  private static String model(Cell cell) {
    return cell.label().equals(PersistencyRuns.STRAND_LIMITED) ? "strand" : cell.label();
  }

  static boolean base(Cell cell) {
    return cell.path().options().persistGranularity() == 8
        && cell.path().options().trackingGranularity() == 8;
  }

  private static void table1(
      StudyReport report, Cell cell, String group, Map<String, Object> params, HostRates host) {
    String family = cell.queue().substring(0, 3);
    double levels = cell.path().perOperation();
    PersistencyTargets.insertNs(family, cell.threads())
        .ifPresent(
            ns ->
                report.add(
                    StudyValue.single(
                        PREFIX + group + "table1",
                        "ratio",
                        ThroughputRule.normalized(ns, levels, PersistencyTargets.TABLE1_PERSIST_NS),
                        params)));
    host.of(family, cell.threads())
        .ifPresent(
            rate ->
                report.add(
                    StudyValue.single(
                        PREFIX + group + "table1Host",
                        "ratio",
                        ThroughputRule.normalized(
                            rate.medianNs(), levels, PersistencyTargets.TABLE1_PERSIST_NS),
                        params)));
  }

  /**
   * Figure 3. The strand model's published break-even follows from a limit on merging; without one
   * the model has hardly any, which stands beside it.
   */
  private static void breakEvens(StudyReport report, List<Cell> cells) {
    double insertNs = PersistencyTargets.insertNs("CWL", 1).orElseThrow();
    for (Cell cell : cells) {
      if (!cell.queue().equals("CWL") || cell.threads() != 1 || !base(cell)) {
        continue;
      }
      boolean unlimitedStrand = cell.label().equals("strand");
      report.add(
          StudyValue.single(
              PREFIX + (unlimitedStrand ? "unlimitedMerging." : "") + "breakEvenNanos",
              "ns",
              ThroughputRule.breakEvenNs(insertNs, cell.path().perOperation()),
              Map.of("model", model(cell))));
    }
  }

  static void addInterleaving(StudyReport report, InterleavingCheck check) {
    report.add(
        StudyValue.single(
            PREFIX + "interleaving.probability",
            "probability",
            check.test().probability(),
            Map.of("statistic", check.test().statistic())));
  }
}

package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes every cell of the study as CSV. */
final class PersistencyCsv {
  private PersistencyCsv() {}

  static void write(Path folder, List<Cell> cells, HostRates host) throws IOException {
    StringBuilder csv =
        new StringBuilder(
            "queue,threads,model,persistGranularity,trackingGranularity,maxStoresPerPersist,inserts,"
                + "criticalPath,levelsPerInsert,persistsIssued,persistsPerformed,paperTable1,"
                + "modelTable1,hostTable1\n");
    for (Cell cell : cells) {
      String family = cell.queue().substring(0, 3);
      double levels = cell.path().perOperation();
      boolean base = PersistencyValues.base(cell);
      csv.append(
          String.format(
              Locale.ROOT,
              "%s,%d,%s,%d,%d,%d,%d,%d,%.6f,%d,%d,%s,%s,%s%n",
              cell.queue(),
              cell.threads(),
              cell.label(),
              cell.path().options().persistGranularity(),
              cell.path().options().trackingGranularity(),
              cell.path().options().maxStoresPerPersist(),
              cell.path().operations(),
              cell.path().length(),
              levels,
              cell.path().persistsIssued(),
              cell.path().persistsPerformed(),
              base
                  ? PersistencyTargets.table1(family, cell.threads(), cell.label())
                      .map(paper -> Double.toString(paper.normalizedRate()))
                      .orElse("")
                  : "",
              base
                  ? PersistencyTargets.insertNs(family, cell.threads())
                      .map(ns -> normalized(ns, levels))
                      .orElse("")
                  : "",
              base
                  ? host.of(family, cell.threads())
                      .map(rate -> normalized(rate.medianNs(), levels))
                      .orElse("")
                  : ""));
    }
    Files.writeString(folder.resolve("persistency.csv"), csv);
  }

  private static String normalized(double insertNs, double levels) {
    return String.format(
        Locale.ROOT,
        "%.6g",
        ThroughputRule.normalized(insertNs, levels, PersistencyTargets.TABLE1_PERSIST_NS));
  }
}

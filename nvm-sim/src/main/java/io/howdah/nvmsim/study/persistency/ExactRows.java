package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.CriticalPath;
import java.util.List;
import java.util.Optional;

/**
 * Critical paths that follow from the program and the model alone, at 8-byte granularity and under
 * any schedule. A run that misses one has a broken simulator.
 */
final class ExactRows {
  /** A run of N inserts may be this many levels above N times the row's value. */
  private static final double START_UP_LEVELS = 2;

  private record Row(String queue, int threads, String label, double levelsPerInsert) {}

  private static final List<Row> ROWS =
      List.of(
          new Row("CWL", 1, "strict", 14),
          new Row("CWL", 1, "buffered-strict", 14),
          new Row("CWL", 1, "epoch", 2),
          new Row("CWL", 1, "racing", 2),
          new Row("CWL", 8, "strict", 14),
          new Row("CWL", 8, "buffered-strict", 14),
          new Row("CWL", 8, "epoch", 2),
          new Row("CWL", 8, "racing", 0.25),
          new Row("2LC-listed", 1, "strict", 14),
          new Row("2LC-listed", 1, "epoch", 1),
          new Row("2LC-listed", 1, "racing", 1),
          new Row("2LC-paper", 1, "strict", 14),
          new Row("2LC-paper", 1, "epoch", 2),
          new Row("2LC-paper", 1, "racing", 2),
          new Row("CWL", 1, "strand", 0),
          new Row("CWL", 8, "strand", 0),
          new Row("2LC-listed", 1, "strand", 0),
          new Row("2LC-listed", 8, "strand", 0),
          new Row("2LC-paper", 1, "strand", 0),
          new Row("2LC-paper", 8, "strand", 0));

  private ExactRows() {}

  /** What is wrong with a cell, if it has an exact value and misses it. */
  public static Optional<String> check(QueueExperiment.Cell cell) {
    return cell.paths().stream().flatMap(path -> check(cell, path).stream()).findFirst();
  }

  private static Optional<String> check(QueueExperiment.Cell cell, CriticalPath path) {
    if (path.options().persistGranularity() != 8
        || path.options().trackingGranularity() != 8
        || path.operations() == 0) {
      return Optional.empty();
    }
    for (Row row : ROWS) {
      if (row.queue.equals(cell.queue())
          && row.threads == cell.threads()
          && row.label.equals(cell.label())) {
        double levels = path.length();
        double expected = row.levelsPerInsert * path.operations();
        // Threads that got one insert more when N does not divide add up to one round of levels.
        double most = expected + START_UP_LEVELS + row.levelsPerInsert * row.threads;
        if (levels < expected - 1 || levels > most) {
          return Optional.of(
              row.queue
                  + " with "
                  + row.threads
                  + " threads under "
                  + row.label
                  + " has "
                  + path.perOperation()
                  + " levels per insert, must have "
                  + row.levelsPerInsert);
        }
      }
    }
    return Optional.empty();
  }
}

package io.howdah.lab.test;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.crashtest.mutate.Mutant;
import io.howdah.crashtest.mutate.MutationRun;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Counts of mutants by package: the table of {@code howdah test mutate}, and its score. */
final class MutationScores {

  /** Of fewer mutants a score says little. */
  private static final int FEWEST_FOR_A_SCORE = 20;

  private final Map<String, Tally> packages = new TreeMap<>();

  /** Counts of a package. */
  private static final class Tally {
    int mutants;
    int detected;
    int timedOut;
    int outOfMemory;
    int survived;
    int uncovered;

    void add(Mutant mutant) {
      mutants++;
      detected += mutant.isDetected() ? 1 : 0;
      timedOut += mutant.isTimedOut() ? 1 : 0;
      outOfMemory += mutant.isOutOfMemory() ? 1 : 0;
      survived += mutant.survived() ? 1 : 0;
      uncovered += mutant.isUncovered() ? 1 : 0;
    }
  }

  /** Counts the mutants of a class. */
  void add(MutationRun.Result result) {
    for (Mutant mutant : result.mutants()) {
      packages.computeIfAbsent(result.packageName(), _ -> new Tally()).add(mutant);
    }
  }

  /** Prints a line for each package, and notes the scores. */
  void print(MetricsRun run, PrintWriter out) {
    Table table =
        new Table()
            .text("package", 34)
            .figure("mutants", 7)
            .figure("detected", 8)
            .figure("timed out", 9)
            .figure("no memory", 9)
            .figure("survived", 8)
            .figure("not run", 7)
            .figure("score", 7)
            .figure("without these two", 17);
    out.println(table.head());
    out.println(table.rule());
    int undetected = 0;
    for (Map.Entry<String, Tally> entry : packages.entrySet()) {
      Tally tally = entry.getValue();
      double score = (double) tally.detected / tally.mutants;
      int safe = tally.detected - tally.timedOut - tally.outOfMemory;
      undetected += tally.survived + tally.uncovered;
      out.println(
          table.row(
              entry.getKey(),
              Integer.toString(tally.mutants),
              Integer.toString(tally.detected),
              Integer.toString(tally.timedOut),
              Integer.toString(tally.outOfMemory),
              Integer.toString(tally.survived),
              Integer.toString(tally.uncovered),
              "%.1f %%".formatted(score * 100),
              "%.1f %%".formatted(100.0 * safe / tally.mutants)));
      run.add(Metric.single("mutate.score", "ratio", score, Map.of("package", entry.getKey())));
    }
    run.add(Metric.single("mutate.survivors", "count", undetected, Map.of()));
  }

  /**
   * Returns what is wrong if too small a part is detected of the mutants that a test runs. Of a few
   * mutants nothing is said.
   */
  Optional<String> complaint(double minPercent) {
    int reached = 0;
    int detected = 0;
    for (Tally tally : packages.values()) {
      reached += tally.mutants - tally.uncovered;
      detected += tally.detected;
    }
    double percent = 100.0 * detected / Math.max(1, reached);
    return reached < FEWEST_FOR_A_SCORE || percent >= minPercent
        ? Optional.empty()
        : Optional.of(
            "%.1f %% of %d mutants that a test runs are detected, and --min-score is %.1f"
                .formatted(percent, reached, minPercent));
  }
}

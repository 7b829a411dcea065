package io.howdah.nvmsim.study;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a study found.
 *
 * @param lines the report, for a person
 * @param values every value, the headline first
 * @param violations what must not be: a count that differs, a gate missed, a crash check that
 *     failed
 * @param noisy whether the host's own speed moved too much for its rates to count
 * @param files writes figures and tables
 */
public record StudyOutcome(
    List<String> lines,
    List<StudyValue> values,
    List<String> violations,
    boolean noisy,
    StudyFiles files) {
  public StudyOutcome {
    lines = List.copyOf(lines);
    values = List.copyOf(values);
    violations = List.copyOf(violations);
  }

  /** Writes the figures, as SVG and PNG, and the tables into a folder that exists. */
  public void writeFiles(Path folder) throws IOException {
    files.write(folder);
  }
}

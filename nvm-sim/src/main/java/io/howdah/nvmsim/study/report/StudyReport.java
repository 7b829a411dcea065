package io.howdah.nvmsim.study.report;

import io.howdah.nvmsim.study.StudyFiles;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Collects what a study finds: text, values and violations. For one thread. */
public final class StudyReport {
  private final List<String> lines = new ArrayList<>();
  private final List<StudyValue> values = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private boolean noisy;

  /** Begins a part of the text. */
  public void title(String title) {
    lines.add("");
    lines.add(title);
    lines.add("-".repeat(title.length()));
  }

  /** Adds a line of text, formatted as by {@link String#format}. */
  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be one more dependency
  public void line(String format, Object... arguments) {
    lines.add(String.format(Locale.ROOT, format, arguments));
  }

  /** Adds a value. */
  public void add(StudyValue value) {
    values.add(value);
  }

  /** Notes something that must not be. */
  public void violation(String what) {
    violations.add(what);
  }

  /** Says that the host's own speed moved too much for its rates to count. */
  public void markNoisy() {
    noisy = true;
  }

  /** Adds the places where a paper disagrees with itself or with the model, numbered. */
  public void discrepancies(List<Discrepancy> discrepancies) {
    title("Where the paper disagrees with itself or with the model");
    int number = 0;
    for (Discrepancy one : discrepancies) {
      line("%d. %s", ++number, one.where());
      line("   paper:   %s", one.published());
      line("   model:   %s", one.model());
      line("   verdict: %s", one.verdict());
    }
  }

  /** Returns all of it, with what writes the study's files. */
  public StudyOutcome outcome(StudyFiles files) {
    return new StudyOutcome(lines, values, violations, noisy, files);
  }

  /** Returns all of it, for a study that writes no file. */
  public StudyOutcome outcome() {
    return outcome(_ -> {});
  }
}

package io.howdah.lab.suite;

import java.util.List;

/**
 * How one file of the suite ended.
 *
 * @param passed checks
 * @param failed checks
 * @param exit status of Perl; 0 only if all planned checks passed
 * @param problems what it said of failed checks, line by line
 */
public record SuiteResult(int passed, int failed, int exit, List<String> problems) {

  /** The exit status of a file that was ended because it took too long. */
  public static final int TIMED_OUT = 124;

  /** Copies the lines. */
  public SuiteResult {
    problems = List.copyOf(problems);
  }

  /** Returns whether all planned checks passed, or the file skips itself. */
  public boolean isGreen() {
    return exit == 0 && failed == 0;
  }

  /** Reads what a file of the suite printed, which is in TAP, the format of Perl's tests. */
  static SuiteResult of(int exit, List<String> output, List<String> problems) {
    int passed = 0;
    int failed = 0;
    for (String line : output) {
      if (line.startsWith("ok ")) {
        passed++;
      } else if (line.startsWith("not ok ") && !line.contains("# TODO")) {
        failed++;
      }
    }
    return new SuiteResult(passed, failed, exit, problems);
  }
}

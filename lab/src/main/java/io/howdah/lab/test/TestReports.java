package io.howdah.lab.test;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Maven's lines say about the tests that it runs. For one thread. */
final class TestReports {

  private static final Pattern CLASS =
      Pattern.compile(
          "Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+), Time elapsed: .* in (\\S+)");

  private static final Pattern METHOD =
      Pattern.compile("(\\S+) -- Time elapsed: .* <<< (?:FAILURE|ERROR)!");

  private final List<String> failed = new ArrayList<>();
  private int classes;
  private int ran;
  private int failures;
  private int skipped;

  /** Takes a line; returns whether it names a test that has failed, as the last one of these. */
  boolean accept(String line) {
    Matcher end = CLASS.matcher(line);
    if (end.find()) {
      classes++;
      ran += Integer.parseInt(end.group(1));
      failures += Integer.parseInt(end.group(2)) + Integer.parseInt(end.group(3));
      skipped += Integer.parseInt(end.group(4));
      return false;
    }
    Matcher method = METHOD.matcher(line);
    return method.find() && failed.add(method.group(1));
  }

  /** Returns the tests that have failed, each with its class. */
  List<String> failed() {
    return List.copyOf(failed);
  }

  int classes() {
    return classes;
  }

  int ran() {
    return ran;
  }

  int failures() {
    return failures;
  }

  int skipped() {
    return skipped;
  }
}

package io.howdah.crashtest.mutate;

/**
 * One changed instruction, and what the tests made of it.
 *
 * @param status pitest's word for it, for instance {@code KILLED}, {@code SURVIVED}
 * @param className binary name of the class
 * @param method name of the method
 * @param line in the source
 * @param description what was changed, in pitest's words
 */
public record Mutant(String status, String className, String method, int line, String description) {

  /** Returns whether tests ran into it and passed. */
  public boolean survived() {
    return status.equals("SURVIVED");
  }

  /** Returns whether no test runs its line. */
  public boolean isUncovered() {
    return status.equals("NO_COVERAGE");
  }

  /** Returns whether a test noticed it: by a failure, without end, or with the memory used up. */
  public boolean isDetected() {
    return !survived() && !isUncovered();
  }

  /** Returns whether it was noticed only because a test did not end in time. */
  public boolean isTimedOut() {
    return status.equals("TIMED_OUT");
  }

  /** Returns it in one line, with the simple name of its class. */
  @Override
  public String toString() {
    return className.substring(className.lastIndexOf('.') + 1)
        + "."
        + method
        + ":"
        + line
        + " "
        + description
        + (isUncovered() ? " (no test runs it)" : "");
  }

  String toLine() {
    return String.join("\t", status, className, method, Integer.toString(line), description);
  }

  static Mutant parse(String text) {
    String[] parts = text.split("\t", 5);
    return new Mutant(parts[0], parts[1], parts[2], Integer.parseInt(parts[3]), parts[4]);
  }
}

package io.howdah.crashtest.mutate;

import java.util.Set;

/**
 * One changed instruction, and what the tests made of it.
 *
 * @param status pitest's word for it, for instance {@code KILLED}, {@code SURVIVED}
 * @param className binary name of the class
 * @param method name of the method
 * @param line in the source
 * @param index of the instruction in the method: a line can have two changes of one kind
 * @param description what was changed, in pitest's words
 */
public record Mutant(
    String status, String className, String method, int line, int index, String description) {

  /** pitest's words for it; its other ones say that a process was lost, or that nothing ran. */
  private static final Set<String> DETECTED =
      Set.of("KILLED", "TIMED_OUT", "MEMORY_ERROR", "NON_VIABLE");

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
    return DETECTED.contains(status);
  }

  /** Returns whether it was noticed only because a test did not end in time. */
  public boolean isTimedOut() {
    return status.equals("TIMED_OUT");
  }

  /** Returns whether it was noticed only because the tests' process used up its memory. */
  public boolean isOutOfMemory() {
    return status.equals("MEMORY_ERROR");
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

  /**
   * Returns what tells it from the other mutants, as the extension of pitest has it: with the line,
   * as methods may share a name.
   */
  String name() {
    return String.join(
        "\t", className, method, Integer.toString(line), Integer.toString(index), description);
  }

  /**
   * Returns what two runs with different tests have found out about it: a test that notices it once
   * is enough.
   */
  Mutant or(Mutant later) {
    return isDetected() || later.isUncovered() ? this : later;
  }

  String toLine() {
    return String.join(
        "\t",
        status,
        className,
        method,
        Integer.toString(line),
        Integer.toString(index),
        description);
  }

  static Mutant parse(String text) {
    String[] parts = text.split("\t", 6);
    return new Mutant(
        parts[0],
        parts[1],
        parts[2],
        Integer.parseInt(parts[3]),
        Integer.parseInt(parts[4]),
        parts[5]);
  }
}

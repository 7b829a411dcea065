package io.howdah.jmh.study;

/**
 * How often and how long a study measures.
 *
 * @param rounds that count, at least 1
 * @param roundNanos how long each subject runs in a round, at least 1
 */
public record Effort(int rounds, long roundNanos) {

  /** Checks the ranges. */
  public Effort {
    if (rounds < 1 || roundNanos < 1) {
      throw new IllegalArgumentException(
          "rounds and nanoseconds must be at least 1: " + rounds + ", " + roundNanos);
    }
  }
}

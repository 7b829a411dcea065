package io.howdah.crashtest.scenario;

import io.howdah.crashtest.oracle.Violation;

/** Turns whatever an attempt throws into a violation that says how to see it again. */
final class Replay {

  private Replay() {}

  /** One attempt of a scenario. */
  @FunctionalInterface
  interface Run {
    /** Runs it. */
    void run();
  }

  /** Runs the attempt with a seed. */
  static void attempt(String scenario, long seed, Run run) {
    String replay =
        "[replay: howdah test explore --scenario "
            + scenario
            + " --seed "
            + seed
            + " --attempts 1] ";
    try {
      run.run();
    } catch (Violation violation) {
      throw new Violation(replay + violation.getMessage(), violation);
    } catch (AssertionError | RuntimeException unexpected) {
      Throwable cause = unexpected.getCause() instanceof Violation v ? v : unexpected;
      throw new Violation(replay + cause, unexpected);
    }
  }
}

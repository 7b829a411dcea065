package io.howdah.crashtest.scenario;

/** A promise was broken. The message says which, and how to see it again. */
public final class Violation extends AssertionError {

  private static final long serialVersionUID = 1L;

  /** Creates one. */
  public Violation(String message) {
    super(message);
  }

  /** A run of a scenario with one seed. */
  @FunctionalInterface
  interface Run {
    /** Runs it. */
    void run();
  }

  /** Runs one attempt; whatever it throws becomes a violation that says how to see it again. */
  static void replayable(String scenario, long seed, Run run) {
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

  /** Creates one that an unexpected failure of the engine amounts to. */
  public Violation(String message, Throwable cause) {
    super(message, cause);
  }
}

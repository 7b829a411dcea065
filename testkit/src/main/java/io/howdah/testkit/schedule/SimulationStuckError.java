package io.howdah.testkit.schedule;

/**
 * A simulated run does not end: all threads wait for each other, or it took more steps than it may,
 * or a thread waits for something outside the simulation. The message says what each thread did
 * last.
 */
public final class SimulationStuckError extends AssertionError {

  private static final long serialVersionUID = 1L;

  SimulationStuckError(String message) {
    super(message);
  }
}

package io.howdah.testkit.schedule;

/**
 * The simulated process has died. Every call that a dead process makes to its storage, regions or
 * execution throws one, so that nothing changes any more, whatever the process catches.
 *
 * <p>It is an {@link Error} of its own so that no handler for expected failures takes it for one.
 */
public final class SimulatedCrash extends Error {

  private static final long serialVersionUID = 1L;

  /** The crash itself, with the stack of whoever was running. */
  public SimulatedCrash(String message) {
    super(message);
  }

  private SimulatedCrash(String message, boolean writableStackTrace) {
    super(message, null, false, writableStackTrace);
  }

  /** What a process that is dead already meets; it has no stack trace, because many are thrown. */
  public static SimulatedCrash again() {
    return new SimulatedCrash("this process has died", false);
  }
}

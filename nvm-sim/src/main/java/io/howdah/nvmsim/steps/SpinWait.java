package io.howdah.nvmsim.steps;

/** One step of a spin loop that may run with more threads than processors. */
public final class SpinWait {
  private static final int SPINS_BEFORE_YIELD = 256;

  private SpinWait() {}

  /** Pauses for the given number of steps waited so far. */
  @SuppressWarnings("ThreadPriorityCheck") // Only speed depends on what the yield does.
  public static void step(int waited) {
    if (waited < SPINS_BEFORE_YIELD) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }
}

package io.howdah.nvmsim.schedule;

/**
 * The program of one simulated thread, cut into turns. {@link BlockingProgram} makes one of
 * ordinary code; a hand-written state machine is much faster.
 */
public interface SimProgram {
  /**
   * Takes one turn: at most one event through {@code self}, and any number of operation marks. A
   * {@link BlockingProgram} also takes the turns that follow, if they are its own.
   *
   * @return false once the program has ended; it is not called again
   */
  boolean step(SimThread self);

  /** Whether its turns are taken on a thread of its own. */
  default boolean handsOver() {
    return false;
  }

  /** Releases what the program holds if the run stops before it ends. */
  default void abandon() {}
}

package io.howdah.nvmsim.schedule;

/**
 * Chooses which thread takes the next turn. A policy is a pure function of its seed and the calls
 * it has seen, so the same program gives the same trace on any machine.
 */
public interface SchedulePolicy {
  /** Name for the trace's header. */
  String name();

  /** Seed for the trace's header, 0 if it has none. */
  long seed();

  /**
   * Chooses a thread.
   *
   * @param runnable bit {@code i} set if thread {@code i} can take a turn; never 0
   * @param current the thread that took the last turn, -1 at first
   * @return a thread whose bit is set
   */
  int choose(long runnable, int current);
}

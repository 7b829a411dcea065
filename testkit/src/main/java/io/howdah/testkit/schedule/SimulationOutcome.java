package io.howdah.testkit.schedule;

import java.util.List;

/**
 * How a simulated run ended.
 *
 * @param steps how many scheduling points there were
 * @param crashed whether the process died: at the step asked for, or at a disk operation
 * @param leftover names of the threads that were still there when the body returned; the process
 *     died with them
 * @param traceHash a hash over every step of every thread; equal runs have equal hashes
 * @param schedule who ran for how many steps, for {@link Schedule#replay}; only the first {@value
 *     SimulatedExecution#RECORDED_SWITCHES} switches are kept
 */
public record SimulationOutcome(
    long steps, boolean crashed, List<String> leftover, long traceHash, String schedule) {

  /** Copies the list. */
  public SimulationOutcome {
    leftover = List.copyOf(leftover);
  }
}

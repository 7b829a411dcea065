package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.crash.ScheduleText;
import java.util.BitSet;
import java.util.List;

/**
 * A state that recovery gets wrong, with all it takes to see it again.
 *
 * @param schedule the thread of each turn, as {@link ScheduleText} reads it
 * @param durable the persists that had reached memory, as ids of the persist DAG
 * @param lost those that had not, though a later one may have
 * @param recovered what recovery returned
 * @param violations what is wrong with it
 * @param details a line per persist, durable or lost
 */
public record CrashWitness(
    String schedule,
    BitSet durable,
    BitSet lost,
    String recovered,
    List<String> violations,
    List<String> details) {
  public CrashWitness {
    durable = (BitSet) durable.clone();
    lost = (BitSet) lost.clone();
    violations = List.copyOf(violations);
    details = List.copyOf(details);
  }

  @Override
  public BitSet durable() {
    return (BitSet) durable.clone();
  }

  @Override
  public BitSet lost() {
    return (BitSet) lost.clone();
  }
}

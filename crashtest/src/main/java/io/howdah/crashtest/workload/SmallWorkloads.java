package io.howdah.crashtest.workload;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.schedule.Mixer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Sequences of steps, and crashes of each. Crashes before the last step are those of the first of
 * the sequences that differ in this step alone, and are not repeated in the others.
 *
 * @param seed of disks and schedules
 * @param points moments at which each sequence dies, at most, besides its end
 * @param runs recoveries of the states of each power cut, at most
 * @param recoveryPoints moments at which recoveries die, for each crash
 */
public record SmallWorkloads(
    Sequences sequences, long seed, int points, int runs, int recoveryPoints) {

  /**
   * Where all sequences of a length are explored, those up to this one are on all kinds of disks,
   * longer ones on one kind each.
   */
  private static final int MAX_LENGTH_ON_ALL = 2;

  private static final int DEPTH = 2;
  private static final int AUDIT_ONE_IN = 4096;

  /** Checks the bounds. */
  public SmallWorkloads {
    if (points < 0 || runs < 2 || recoveryPoints < 0) {
      throw new IllegalArgumentException(
          "points at least 0, runs at least 2, recovery points at least 0: "
              + points
              + ", "
              + runs
              + ", "
              + recoveryPoints);
    }
  }

  /** Returns an explorer of these sequences, for one thread. */
  Explorer explorer(ExploreLimit limit) {
    return new Explorer(this, limit);
  }

  /** Explores sequences; knows from one to the next what recoveries have read. For one thread. */
  static final class Explorer {

    private final SmallWorkloads workloads;
    private final Map<CrashUnit, WorkloadExplorer> explorers = new EnumMap<>(CrashUnit.class);
    private final ExploreLimit limit;
    private long prefix = -1;

    private Explorer(SmallWorkloads workloads, ExploreLimit limit) {
      this.workloads = workloads;
      this.limit = limit;
    }

    /**
     * Explores a sequence, until the limit is reached.
     *
     * @param index of the sequence
     * @param from how many of its moments of death, over all disks, come before those to explore
     * @throws Violation if a promise is broken; the message says how to see it again
     */
    Explored explore(long index, long from) {
      CrashUnit[] units = CrashUnit.values();
      Sequences sequences = workloads.sequences;
      if (sequences.prefix(index) != prefix) {
        prefix = sequences.prefix(index);
        explorers.values().forEach(WorkloadExplorer::forget);
      }
      List<Step> steps = sequences.steps(index);
      boolean onlyLast = sequences.isLikeAnother(index);
      if (sequences.length() > MAX_LENGTH_ON_ALL && !sequences.isOne()) {
        // Mixed: the number of kinds is a multiple of that of units, and all steps are to count.
        WorkloadExplorer explorer =
            on(units[(int) Long.remainderUnsigned(Mixer.mix(prefix), units.length)]);
        return explorer.explore(steps, onlyLast, from, limit);
      }
      Explored all = Explored.NOTHING;
      long rest = from;
      for (CrashUnit unit : units) {
        WorkloadExplorer explorer = on(unit);
        all = all.plus(explorer.explore(steps, onlyLast, rest, limit));
        rest = Math.max(0, rest - explorer.allPoints());
      }
      return all;
    }

    private WorkloadExplorer on(CrashUnit unit) {
      return explorers.computeIfAbsent(
          unit,
          u ->
              new WorkloadExplorer(
                  workloads.seed,
                  u,
                  new ExploreBounds(
                      workloads.points,
                      CrashStates.EXHAUSTIVE_STATES,
                      workloads.runs,
                      workloads.recoveryPoints,
                      DEPTH,
                      AUDIT_ONE_IN,
                      true)));
    }
  }

  /**
   * Repeats one crash of a sequence.
   *
   * @param text as {@link Sequences#text} returns it
   * @param replay of the crash
   * @throws IllegalArgumentException if one of the two is not such a text
   * @throws Violation if a promise is broken
   */
  public static void replay(String text, long seed, String replay) {
    List<Step> steps = Sequences.only(text).steps(0);
    WorkloadReplay crash = WorkloadReplay.parse(replay);
    ExploreBounds any =
        new ExploreBounds(Integer.MAX_VALUE, CrashStates.EXHAUSTIVE_STATES, 2, 0, DEPTH, 0, true);
    new WorkloadExplorer(seed, crash.unit(), any).replay(steps, crash);
  }
}

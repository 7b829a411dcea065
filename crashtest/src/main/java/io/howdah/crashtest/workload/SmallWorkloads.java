package io.howdah.crashtest.workload;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.schedule.Mixer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All sequences of steps of a length, by number, and crashes of each. The last step changes
 * fastest, so neighbours begin alike; crashes before the last step are those of the first of these
 * neighbours, and are not repeated in the others.
 *
 * @param length of the sequences, at least 1
 * @param seed of disks and schedules
 * @param points moments at which each sequence dies, at most, besides its end
 * @param runs recoveries of the states of each power cut, at most
 * @param recoveryPoints moments at which recoveries die, for each crash
 * @param isShuffled whether the numbers go through the sequences in an order that follows from the
 *     seed, so that the first ones are a sample of all
 */
public record SmallWorkloads(
    int length, long seed, int points, int runs, int recoveryPoints, boolean isShuffled) {

  private static final int MAX_LENGTH = 8;

  private static final List<Step> STEPS = List.of(Step.values());

  /** Up to this length each sequence is explored on all kinds of disks, beyond on one of them. */
  private static final int MAX_LENGTH_ON_ALL = 2;

  private static final int DEPTH = 2;
  private static final int AUDIT_ONE_IN = 4096;

  /** Checks the bounds. */
  public SmallWorkloads {
    if (length < 1 || length > MAX_LENGTH || points < 0 || runs < 2 || recoveryPoints < 0) {
      throw new IllegalArgumentException(
          "length 1 to "
              + MAX_LENGTH
              + ", points at least 0, runs at least 2, recovery points at least 0: "
              + length
              + ", "
              + points
              + ", "
              + runs
              + ", "
              + recoveryPoints);
    }
  }

  /** Returns how many kinds of operations there are. */
  public static int kinds() {
    return STEPS.size();
  }

  /** Returns how many sequences there are. */
  public long count() {
    long count = 1;
    for (int i = 0; i < length; i++) {
      count *= kinds();
    }
    return count;
  }

  /**
   * Returns a sequence as text: its steps, with commas between.
   *
   * @param index 0 to count - 1
   */
  public String text(long index) {
    return steps(index).stream().map(Step::text).collect(Collectors.joining(","));
  }

  /** Returns a sequence as the number whose digits are its steps. */
  private long sequence(long index) {
    if (!isShuffled) {
      return index;
    }
    // A stride that has no divisor in common with the count comes by all of them.
    long stride = Long.remainderUnsigned(Mixer.mix(seed, 4), count()) | 1;
    while (!BigInteger.valueOf(stride).gcd(BigInteger.valueOf(count())).equals(BigInteger.ONE)) {
      stride += 2;
    }
    return (index % count() * (stride % count()) + Long.remainderUnsigned(seed, count())) % count();
  }

  private List<Step> steps(long index) {
    List<Step> steps = new ArrayList<>();
    long rest = sequence(index);
    for (int i = 0; i < length; i++) {
      steps.addFirst(STEPS.get((int) (rest % kinds())));
      rest /= kinds();
    }
    return steps;
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
     * @param index 0 to count - 1
     * @param from how many of its moments of death, over all disks, come before those to explore
     * @throws Violation if a promise is broken; the message says how to see it again
     */
    Explored explore(long index, long from) {
      CrashUnit[] units = CrashUnit.values();
      long sequence = workloads.sequence(index);
      if (sequence / kinds() != prefix) {
        prefix = sequence / kinds();
        explorers.values().forEach(WorkloadExplorer::forget);
      }
      boolean onlyLast = sequence % kinds() != 0;
      if (workloads.length > MAX_LENGTH_ON_ALL) {
        // Mixed: the number of kinds is a multiple of that of units, and all steps are to count.
        WorkloadExplorer explorer =
            on(units[(int) Long.remainderUnsigned(Mixer.mix(prefix), units.length)]);
        return explorer.explore(workloads.steps(index), onlyLast, from, limit);
      }
      Explored all = Explored.NOTHING;
      long rest = from;
      for (CrashUnit unit : units) {
        WorkloadExplorer explorer = on(unit);
        all = all.plus(explorer.explore(workloads.steps(index), onlyLast, rest, limit));
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
   * Repeats one crash of a sequence, or explores it.
   *
   * @param text as {@link #text} returns it
   * @param replay of the crash, or empty
   * @throws Violation if a promise is broken
   */
  public static void replay(String text, long seed, String replay) {
    List<Step> steps = Arrays.stream(text.split(",", -1)).map(Step::named).toList();
    ExploreBounds all =
        new ExploreBounds(
            Integer.MAX_VALUE, CrashStates.EXHAUSTIVE_STATES, 1 << 12, 2, DEPTH, 0, true);
    if (!replay.isEmpty()) {
      WorkloadReplay crash = WorkloadReplay.parse(replay);
      new WorkloadExplorer(seed, crash.unit(), all).replay(steps, crash);
      return;
    }
    for (CrashUnit unit : CrashUnit.values()) {
      new WorkloadExplorer(seed, unit, all).explore(steps, false);
    }
  }
}

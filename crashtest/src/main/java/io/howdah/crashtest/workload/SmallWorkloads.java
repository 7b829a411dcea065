package io.howdah.crashtest.workload;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashUnit;
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
 */
public record SmallWorkloads(int length, long seed, int points, int runs, int recoveryPoints) {

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

  private List<Step> steps(long index) {
    List<Step> steps = new ArrayList<>();
    long rest = index;
    for (int i = 0; i < length; i++) {
      steps.addFirst(STEPS.get((int) (rest % kinds())));
      rest /= kinds();
    }
    return steps;
  }

  /** Returns an explorer of these sequences, for one thread. */
  public Explorer explorer() {
    return new Explorer(this);
  }

  /** Explores sequences; knows from one to the next what recoveries have read. For one thread. */
  public static final class Explorer {

    private final SmallWorkloads workloads;
    private final Map<CrashUnit, WorkloadExplorer> explorers = new EnumMap<>(CrashUnit.class);
    private long prefix = -1;

    private Explorer(SmallWorkloads workloads) {
      this.workloads = workloads;
    }

    /**
     * Explores a sequence.
     *
     * @param index 0 to count - 1
     * @throws Violation if a promise is broken; the message says how to see it again
     */
    public Explored explore(long index) {
      CrashUnit[] units = CrashUnit.values();
      if (index / kinds() != prefix) {
        prefix = index / kinds();
        explorers.values().forEach(WorkloadExplorer::forget);
      }
      boolean onlyLast = index % kinds() != 0;
      if (workloads.length > MAX_LENGTH_ON_ALL) {
        return on(units[(int) (prefix % units.length)], index, onlyLast);
      }
      Explored all = Explored.NOTHING;
      for (CrashUnit unit : units) {
        all = all.plus(on(unit, index, onlyLast));
      }
      return all;
    }

    private Explored on(CrashUnit unit, long index, boolean onlyLast) {
      return explorers
          .computeIfAbsent(
              unit,
              u ->
                  new WorkloadExplorer(
                      workloads.seed,
                      u,
                      new ExploreBounds(
                          workloads.points,
                          workloads.runs,
                          workloads.recoveryPoints,
                          DEPTH,
                          AUDIT_ONE_IN,
                          true)))
          .explore(workloads.steps(index), onlyLast);
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
    ExploreBounds all = new ExploreBounds(Integer.MAX_VALUE, 1 << 12, 2, DEPTH, 0, true);
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

package io.howdah.crashtest.workload;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.CrashExplorer;
import io.howdah.testkit.CrashReport;
import io.howdah.testkit.CrashTestFailure;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.schedule.Schedule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All sequences of steps of a length, by number, and crashes of each. Every sequence dies at
 * moments that are spread over its operations on the disk, comes back in several states, and has
 * recoveries that die. For one thread.
 *
 * @param length of the sequences, at least 1
 * @param seed of disks and schedules
 * @param points moments at which each sequence dies
 * @param states in which it comes back from each power cut
 */
public record SmallWorkloads(int length, long seed, int points, int states) {

  private static final int MAX_LENGTH = 8;

  private static final List<Step> STEPS = List.of(Step.values());

  /** One kind of disk for each sequence, in turn: all would take three times as long. */
  private static final CrashUnit[] UNITS = CrashUnit.values();

  /** Checks the bounds. */
  public SmallWorkloads {
    if (length < 1 || length > MAX_LENGTH || points < 1 || states < 1) {
      throw new IllegalArgumentException(
          "length 1 to "
              + MAX_LENGTH
              + ", points and states at least 1: "
              + length
              + ", "
              + points
              + ", "
              + states);
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
      steps.add(STEPS.get((int) (rest % kinds())));
      rest /= kinds();
    }
    return steps;
  }

  /**
   * Explores a sequence.
   *
   * @param index 0 to count - 1
   * @throws Violation if a promise is broken; the message says how to see it again
   */
  public CrashReport explore(long index) {
    return explore(steps(index), UNITS[(int) (index % UNITS.length)], "");
  }

  /**
   * Repeats one crash of a sequence, or explores it.
   *
   * @param text as {@link #text} returns it
   * @param replay of the crash, or empty
   */
  public static void replay(String text, long seed, String replay) {
    List<Step> steps = Arrays.stream(text.split(",", -1)).map(Step::named).toList();
    SmallWorkloads workloads = new SmallWorkloads(steps.size(), seed, 1000, 8);
    for (CrashUnit unit : UNITS) {
      workloads.explore(steps, unit, replay);
    }
  }

  private CrashReport explore(List<Step> steps, CrashUnit unit, String replay) {
    CrashExplorer explorer =
        CrashExplorer.seeded(seed)
            .units(unit)
            .kinds(CrashKind.KILL, CrashKind.POWER_CUT)
            .failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN) // the image is folded in place
            .scheduled(s -> Schedule.random(s, 2048))
            .points(points)
            .states(states)
            .recoveries(1, 2);
    try {
      if (!replay.isEmpty()) {
        explorer.replay(CrashReplay.parse(replay), () -> new SmallWorkload(steps));
        return new CrashReport(1, 1, 0, false);
      }
      return explorer.explore(() -> new SmallWorkload(steps));
    } catch (CrashTestFailure failure) {
      String text = steps.stream().map(Step::text).collect(Collectors.joining(","));
      throw new Violation(
          "[replay: howdah test explore --workload "
              + text
              + " --seed "
              + seed
              + " --replay "
              + failure.replay()
              + "] "
              + failure.getMessage(),
          failure);
    }
  }
}

package io.howdah.testkit.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * Goes through every schedule with at most so many preemptions, one run after the other: for small
 * cases, whose number of schedules grows as steps^preemptions. A preemption takes the processor
 * from a thread that could go on and does not wait.
 *
 * <pre>{@code
 * ExhaustiveSchedule schedules = new ExhaustiveSchedule(2);
 * do {
 *   // a new disk, a new execution with this schedule, one run
 * } while (schedules.next());
 * }</pre>
 *
 * Of each run the first {@value #MAX_DECISIONS} decisions are varied. Not thread-safe.
 */
public final class ExhaustiveSchedule implements Schedule {

  /** How many decisions of a run are varied. */
  public static final int MAX_DECISIONS = 100_000;

  private static final class Decision {
    final int[] options;
    final boolean preempts;
    int chosen;

    Decision(int[] options, boolean preempts) {
      this.options = options;
      this.preempts = preempts;
    }
  }

  private final int maxPreemptions;
  private final List<Decision> path = new ArrayList<>();
  private int position;
  private int preemptions;
  private long runs = 1;

  /**
   * Begins with the schedule without preemptions.
   *
   * @param maxPreemptions how often a schedule preempts, at most
   */
  public ExhaustiveSchedule(int maxPreemptions) {
    if (maxPreemptions < 0) {
      throw new IllegalArgumentException("maxPreemptions is negative: " + maxPreemptions);
    }
    this.maxPreemptions = maxPreemptions;
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    boolean canStay = (runnable & 1L << current) != 0;
    boolean preempts = canStay && !waiting;
    int first = canStay && !waiting ? current : firstOther(current, runnable);
    if (Long.bitCount(runnable) == 1 || (preempts && preemptions == maxPreemptions)) {
      return first;
    }
    if (position == path.size()) {
      if (position >= MAX_DECISIONS) {
        return first;
      }
      path.add(new Decision(options(first, runnable), preempts));
    }
    Decision decision = path.get(position++);
    if (decision.preempts && decision.chosen > 0) {
      preemptions++;
    }
    return decision.options[decision.chosen];
  }

  private static int firstOther(int current, long runnable) {
    long others = runnable & ~(1L << current);
    return others == 0 ? current : Long.numberOfTrailingZeros(others);
  }

  private static int[] options(int first, long runnable) {
    int[] options = new int[Long.bitCount(runnable)];
    options[0] = first;
    int n = 1;
    for (long rest = runnable & ~(1L << first); rest != 0; rest &= rest - 1) {
      options[n++] = Long.numberOfTrailingZeros(rest);
    }
    return options;
  }

  /** Moves on to the next schedule; returns false when there is none. */
  public boolean next() {
    while (!path.isEmpty()) {
      Decision last = path.getLast();
      last.chosen++;
      if (last.chosen < last.options.length) {
        position = 0;
        preemptions = 0;
        runs++;
        return true;
      }
      path.removeLast();
    }
    return false;
  }

  /** Returns how many schedules there have been, this one included. */
  public long runs() {
    return runs;
  }
}

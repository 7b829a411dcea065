package io.howdah.nvmsim.crash;

import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.schedule.SimProgram;
import io.howdah.nvmsim.schedule.SimThread;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs a small program under at least one of each set of schedules that order its conflicting
 * accesses alike. Those give the same values and the same persist order, so what holds of the
 * schedules run holds of all. Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005)
 * with sleep sets (Godefroid, 1996).
 *
 * <p>A run must be shorter than {@link EventBatch#CAPACITY} events.
 */
public final class ScheduleSearch {
  /** Makes the program afresh, runs it under a policy and examines it. */
  @FunctionalInterface
  public interface Run {
    /**
     * Makes, runs, examines. Every program must be added through {@code observer} to the scheduler
     * of the run, which must be given to it.
     *
     * @return whether to go on searching
     */
    boolean under(SchedulePolicy policy, Observer observer);
  }

  /** Wraps the threads of a run so that the search sees what each turn did. */
  public interface Observer {
    SimProgram watch(DeterministicScheduler scheduler, SimProgram program);
  }

  /**
   * What a search covered.
   *
   * @param schedules schedules run to their end
   * @param abandoned schedules given up because another covers them
   * @param complete whether every other schedule is covered by these
   */
  public record Coverage(long schedules, long abandoned, boolean complete) {}

  /** A turn of the current path and what is known about the choices there. */
  private static final class Turn {
    final long runnable;
    final Action[] asleep;
    int thread;
    Action action = Action.LOCAL;
    long wanted;
    long tried;
    int[] clock = {};

    Turn(long runnable, Action[] asleep) {
      this.runnable = runnable;
      this.asleep = asleep;
    }
  }

  /** What one turn did. */
  private record Action(long block, long lastBlock, boolean store) {
    /** Touches nothing another thread can see. */
    static final Action LOCAL = new Action(1, 0, false);

    /** Stands for "not asleep". */
    static final Action AWAKE = new Action(2, 0, false);

    boolean conflicts(Action other) {
      return (store || other.store) && block <= other.lastBlock && other.block <= lastBlock;
    }
  }

  /** Unwinds a run that some other run covers. */
  private static final class Covered extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Covered() {
      super(null, null, false, false);
    }
  }

  private final int threads;
  private final int blockLength;
  private final long maxRuns;
  private final List<Turn> path = new ArrayList<>();
  private int position;

  /**
   * Prepares a search.
   *
   * @param blockLength bytes within which two accesses count as conflicting: the larger of persist
   *     and tracking granularity
   * @param maxRuns runs after which the search stops, incomplete
   */
  public ScheduleSearch(int threads, int blockLength, long maxRuns) {
    this.threads = threads;
    this.blockLength = blockLength;
    this.maxRuns = maxRuns;
  }

  /** Searches until all is covered, the bound is reached or the run says stop. */
  public Coverage explore(Run run) {
    path.clear();
    long finished = 0;
    long abandoned = 0;
    boolean more = true;
    while (more) {
      if (finished + abandoned == maxRuns) {
        return new Coverage(finished, abandoned, false);
      }
      position = 0;
      boolean goOn = true;
      try {
        goOn = run.under(new Policy(), Watched::new);
        finished++;
      } catch (Covered _) {
        abandoned++;
      }
      if (!goOn) {
        return new Coverage(finished, abandoned, false);
      }
      findRaces();
      more = advance();
    }
    return new Coverage(finished, abandoned, true);
  }

  /** The schedule of the current run, one thread per turn. */
  public byte[] schedule() {
    byte[] choices = new byte[path.size()];
    for (int i = 0; i < choices.length; i++) {
      choices[i] = (byte) path.get(i).thread;
    }
    return choices;
  }

  private final class Policy implements SchedulePolicy {
    @Override
    public String name() {
      return "all-schedules";
    }

    @Override
    public long seed() {
      return 0;
    }

    @Override
    public int choose(long runnable, int current) {
      if (position == path.size()) {
        Turn turn = new Turn(runnable, asleepAfterLast());
        long awake = runnable & ~sleepers(turn);
        if (awake == 0) {
          throw new Covered();
        }
        // Stays with the last thread: the first schedules, and so the first witness, switch little.
        turn.thread =
            current >= 0 && (awake >>> current & 1) != 0
                ? current
                : Long.numberOfTrailingZeros(awake);
        turn.wanted = 1L << turn.thread;
        path.add(turn);
      }
      return path.get(position++).thread;
    }
  }

  /** Threads whose next turn was tried before and has met nothing since that it conflicts with. */
  private Action[] asleepAfterLast() {
    Action[] asleep = new Action[threads];
    Arrays.fill(asleep, Action.AWAKE);
    if (!path.isEmpty()) {
      Turn last = path.getLast();
      for (int t = 0; t < threads; t++) {
        Action action = last.asleep[t];
        if (t != last.thread && !action.conflicts(last.action)) {
          asleep[t] = action;
        }
      }
    }
    return asleep;
  }

  private long sleepers(Turn turn) {
    long mask = 0;
    for (int t = 0; t < threads; t++) {
      mask |= turn.asleep[t].equals(Action.AWAKE) ? 0 : 1L << t;
    }
    return mask;
  }

  /** Notes what the turn that just ended did. */
  private final class Watched implements SimProgram {
    private final DeterministicScheduler scheduler;
    private final SimProgram program;

    Watched(DeterministicScheduler scheduler, SimProgram program) {
      this.scheduler = scheduler;
      this.program = program;
    }

    @Override
    public boolean step(SimThread self) {
      int before = scheduler.pendingCount();
      boolean more = program.step(self);
      int after = scheduler.pendingCount();
      if (after < before) {
        throw new IllegalStateException(
            "a searched run must be shorter than " + EventBatch.CAPACITY + " events");
      }
      Action action = Action.LOCAL;
      for (int i = before; i < after; i++) {
        long event = scheduler.pending().packed()[i];
        // A write-back orders what was stored to its lines, so it conflicts with stores to them.
        if (Event.hasSize(Event.kind(event))) {
          long address = scheduler.pending().addresses()[i];
          action =
              new Action(
                  address / blockLength,
                  (address + Event.size(event) - 1) / blockLength,
                  Event.isStore(event));
        }
      }
      path.get(position - 1).action = action;
      return more;
    }

    @Override
    public boolean handsOver() {
      return program.handsOver();
    }

    @Override
    public void abandon() {
      program.abandon();
    }
  }

  /**
   * For each turn, finds the last turn of another thread that conflicts with it and did not have to
   * come first anyway, and wants the other order tried there.
   */
  private void findRaces() {
    int[][] ofThread = new int[threads][threads];
    for (int[] clock : ofThread) {
      Arrays.fill(clock, -1);
    }
    for (int i = 0; i < path.size(); i++) {
      Turn turn = path.get(i);
      int[] clock = ofThread[turn.thread];
      boolean raced = false;
      int[] joined = clock.clone();
      for (int j = i - 1; j >= 0; j--) {
        Turn earlier = path.get(j);
        if (earlier.thread != turn.thread && earlier.action.conflicts(turn.action)) {
          if (!raced && joined[earlier.thread] < j) {
            want(earlier, turn.thread);
            raced = true;
          }
          for (int t = 0; t < threads; t++) {
            joined[t] = Math.max(joined[t], earlier.clock[t]);
          }
        }
      }
      joined[turn.thread] = i;
      turn.clock = joined;
      ofThread[turn.thread] = joined;
    }
  }

  private static void want(Turn turn, int thread) {
    turn.wanted |= (turn.runnable >>> thread & 1) != 0 ? 1L << thread : turn.runnable;
  }

  /** Goes back to the last turn with a choice that is wanted and not yet covered. */
  private boolean advance() {
    while (!path.isEmpty()) {
      Turn turn = path.getLast();
      turn.tried |= 1L << turn.thread;
      turn.asleep[turn.thread] = turn.action;
      long left = turn.wanted & ~turn.tried & ~sleepers(turn);
      if (left != 0) {
        turn.thread = Long.numberOfTrailingZeros(left);
        turn.action = Action.LOCAL;
        return true;
      }
      path.removeLast();
    }
    return false;
  }
}

package io.howdah.crashtest.workload;

import io.howdah.crashtest.oracle.Violation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Explores sequences of {@link SmallWorkloads} in several threads. A simulation runs one of its own
 * threads at a time and hands over from one to the next, so a processor waits most of the time;
 * simulations beside each other fill that. What each finds does not depend on the others.
 */
public final class WorkloadSweep {

  /** Positions from one sequence to the next: more than a sequence has moments of death. */
  private static final long POSITIONS = 1 << 20;

  private final SmallWorkloads workloads;
  private final int jobs;
  private final long maxStates;
  private final double seconds;

  /** Told what happens, on the thread that runs the sweep. */
  public interface Progress {

    /**
     * A sequence is done, or was cut short.
     *
     * @param next the position of what is not done; all before it is
     * @param explored until now
     */
    void done(long next, Explored explored) throws IOException;

    /**
     * A second has passed in which no sequence was done.
     *
     * @param states of disks until now, with those of sequences under way
     */
    void goingOn(long states);

    /** A promise was broken. */
    void broken(Violation violation);
  }

  /**
   * What came out.
   *
   * @param sequences that were done
   * @param cutShort sequences that were begun, and were not done when a limit was reached
   * @param next the position of what was not done; all before it was
   * @param explored states of disks
   */
  public record Result(long sequences, long cutShort, long next, Explored explored) {}

  /**
   * What became of a sequence.
   *
   * @param position of what is not done of it; its own end if all is
   */
  private record Done(
      long index, long position, @Nullable Explored report, @Nullable Violation violation) {

    /** A thread has ended. */
    static final Done LAST = new Done(-1, -1, null, null);

    boolean isWhole() {
      return position == WorkloadSweep.position(index + 1);
    }
  }

  /**
   * Prepares a sweep.
   *
   * @param jobs threads, each with simulations of its own; at least 1
   * @param maxStates after which no workload dies any more, in none of the threads
   * @param seconds after which no workload dies any more
   */
  public WorkloadSweep(SmallWorkloads workloads, int jobs, long maxStates, double seconds) {
    if (jobs < 1) {
      throw new IllegalArgumentException("jobs must be at least 1: " + jobs);
    }
    this.workloads = workloads;
    this.jobs = jobs;
    this.maxStates = maxStates;
    this.seconds = seconds;
  }

  /** Returns the position at which a sequence begins. */
  public static long position(long sequence) {
    return sequence * POSITIONS;
  }

  /** Returns the sequence that a position is in. */
  public static long sequence(long position) {
    return position / POSITIONS;
  }

  /**
   * Explores from a position on: 0, or what {@link Result#next} or {@link Progress#done} have said.
   */
  public Result run(long first, Progress progress) throws IOException, InterruptedException {
    BlockingQueue<Done> outcomes = new LinkedBlockingQueue<>();
    AtomicLong next = new AtomicLong(sequence(first));
    ExploreLimit limit = new ExploreLimit(maxStates, seconds);
    List<Thread> threads = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      threads.add(
          Thread.ofPlatform()
              .name("explore-" + job)
              .start(() -> work(first, next, limit, outcomes)));
    }
    TreeMap<Long, Done> ahead = new TreeMap<>();
    long prefix = first;
    long sequences = 0;
    long cutShort = 0;
    Explored explored = Explored.NOTHING;
    try {
      for (int running = jobs; running > 0; ) {
        Done done = outcomes.poll(1, TimeUnit.SECONDS);
        if (done == null) {
          progress.goingOn(limit.states());
          continue;
        }
        if (done.equals(Done.LAST)) {
          running--;
          continue;
        }
        if (done.isWhole()) {
          sequences++;
        } else {
          cutShort++;
        }
        if (done.violation != null) {
          progress.broken(done.violation);
        }
        if (done.report != null) {
          explored = explored.plus(done.report);
        }
        ahead.put(done.index, done);
        for (Done at = ahead.remove(sequence(prefix));
            at != null;
            at = at.isWhole() ? ahead.remove(sequence(prefix)) : null) {
          prefix = at.position;
        }
        progress.done(prefix, explored);
      }
    } finally {
      limit.end();
      for (Thread thread : threads) {
        thread.join();
      }
    }
    return new Result(sequences, cutShort, prefix, explored);
  }

  private void work(long first, AtomicLong next, ExploreLimit limit, BlockingQueue<Done> outcomes) {
    SmallWorkloads.Explorer explorer = workloads.explorer(limit);
    // Neighbours that begin alike share what their recoveries read.
    long group = workloads.sequences().neighbours();
    long count = workloads.sequences().count();
    try {
      while (!limit.isReached()) {
        long from = next.getAndUpdate(n -> (n / group + 1) * group);
        long end = Math.min((from / group + 1) * group, count);
        if (from >= count) {
          return;
        }
        for (long index = from; index < end && !limit.isReached(); index++) {
          long skipped = index == sequence(first) ? first % POSITIONS : 0;
          outcomes.add(explore(explorer, index, skipped));
        }
      }
    } finally {
      outcomes.add(Done.LAST);
    }
  }

  private Done explore(SmallWorkloads.Explorer explorer, long index, long skipped) {
    try {
      Explored report = explorer.explore(index, skipped);
      long position =
          report.pointsLeft() == 0
              ? position(index + 1)
              : position(index) + skipped + report.points();
      return new Done(index, position, report, null);
    } catch (Violation violation) {
      return new Done(index, position(index + 1), null, violation);
    } catch (RuntimeException | Error e) {
      String what =
          "[" + workloads.sequences().text(index) + "] the exploration itself failed: " + e;
      return new Done(index, position(index + 1), null, new Violation(what, e));
    }
  }
}

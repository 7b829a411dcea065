package io.howdah.crashtest.workload;

import io.howdah.crashtest.oracle.Violation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Explores sequences of {@link SmallWorkloads} in several threads. A simulation runs one of its own
 * threads at a time and hands over from one to the next, so a processor waits most of the time;
 * simulations beside each other fill that. What each finds does not depend on the others.
 */
public final class WorkloadSweep {

  private final SmallWorkloads workloads;
  private final int jobs;
  private final long maxStates;
  private final double seconds;

  /** Told what happens, on the thread that runs the sweep. */
  public interface Progress {

    /**
     * A sequence is done.
     *
     * @param next the first sequence that is not done; all before it are
     * @param explored until now
     */
    void done(long next, Explored explored) throws IOException;

    /** A promise was broken. */
    void broken(Violation violation);
  }

  /**
   * What came out.
   *
   * @param sequences that were done
   * @param next the first one that was not
   * @param explored states of disks
   */
  public record Result(long sequences, long next, Explored explored) {}

  private record Done(
      long index, @Nullable Explored report, @Nullable Violation violation, boolean isLast) {}

  /**
   * Prepares a sweep.
   *
   * @param jobs threads, each with simulations of its own; at least 1
   * @param maxStates after which no sequence is begun
   * @param seconds after which no sequence is begun
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

  /**
   * Explores from a sequence on.
   *
   * @param first 0 to the number of sequences
   */
  public Result run(long first, Progress progress) throws IOException, InterruptedException {
    BlockingQueue<Done> outcomes = new LinkedBlockingQueue<>();
    AtomicLong next = new AtomicLong(first);
    AtomicLong found = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    long started = System.nanoTime();
    BooleanSupplier mayBegin =
        () ->
            !over.get()
                && found.get() < maxStates
                && System.nanoTime() - started < (long) (seconds * 1e9);
    List<Thread> threads = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      threads.add(
          Thread.ofPlatform()
              .name("explore-" + job)
              .start(() -> work(next, found, mayBegin, outcomes)));
    }
    TreeSet<Long> ahead = new TreeSet<>();
    long prefix = first;
    long sequences = 0;
    Explored explored = Explored.NOTHING;
    try {
      for (int running = jobs; running > 0; ) {
        Done done = outcomes.take();
        if (done.isLast) {
          running--;
          continue;
        }
        sequences++;
        if (done.violation != null) {
          progress.broken(done.violation);
        }
        if (done.report != null) {
          explored = explored.plus(done.report);
        }
        ahead.add(done.index);
        while (ahead.remove(prefix)) {
          prefix++;
        }
        progress.done(prefix, explored);
      }
    } finally {
      over.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    return new Result(sequences, prefix, explored);
  }

  private void work(
      AtomicLong next, AtomicLong found, BooleanSupplier mayBegin, BlockingQueue<Done> outcomes) {
    SmallWorkloads.Explorer explorer = workloads.explorer();
    int kinds = SmallWorkloads.kinds();
    try {
      while (mayBegin.getAsBoolean()) {
        // Neighbours that begin alike share what their recoveries read.
        long from = next.getAndUpdate(n -> (n / kinds + 1) * kinds);
        long end = Math.min((from / kinds + 1) * kinds, workloads.count());
        if (from >= workloads.count()) {
          return;
        }
        for (long index = from; index < end && mayBegin.getAsBoolean(); index++) {
          Done done = explore(explorer, index);
          if (done.report != null) {
            found.addAndGet(done.report.states());
          }
          outcomes.add(done);
        }
      }
    } finally {
      outcomes.add(new Done(-1, null, null, true));
    }
  }

  private Done explore(SmallWorkloads.Explorer explorer, long index) {
    try {
      return new Done(index, explorer.explore(index), null, false);
    } catch (Violation violation) {
      return new Done(index, null, violation, false);
    } catch (RuntimeException | Error e) {
      String what = "[" + workloads.text(index) + "] the exploration itself failed: " + e;
      return new Done(index, null, new Violation(what, e), false);
    }
  }
}

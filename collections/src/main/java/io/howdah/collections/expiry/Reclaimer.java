package io.howdah.collections.expiry;

import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Reclaims expired entries of all maps of a store in the background, on one thread that begins with
 * the first such map and ends with the store. Thread-safe.
 *
 * <p>It goes through a map in passes. A step of a pass looks at some entries in a read-only
 * transaction and reclaims what it finds in a small one. Between steps it rests for {@value
 * #RESTS_PER_STEP} times as long as the step took, so it takes an eighth of a processor at most.
 * Between passes it pauses, from a second to a minute: shorter after a pass for which more than a
 * quarter of the entries had expired, longer after one for which fewer than a sixteenth had. A pass
 * waits until an entry is known to have expired, but not longer than an hour.
 */
public final class Reclaimer {

  private static final int RESTS_PER_STEP = 7;
  private static final long MIN_REST_NANOS = 50_000;
  private static final long LOOK_NANOS = 1_000_000_000L;
  private static final long MIN_PAUSE_NANOS = 1_000_000_000L;
  private static final long MAX_PAUSE_NANOS = 60 * MIN_PAUSE_NANOS;
  private static final long MAX_WAIT_NANOS = 60 * MAX_PAUSE_NANOS;
  private static final long POLL_NANOS = 1_000_000;
  private static final long CLOSE_NANOS = 10_000_000_000L;

  private final Execution execution;
  private final Map<String, Passes> maps = new ConcurrentHashMap<>();
  private @Nullable Thread thread; // guarded by this
  private final LongAdder reclaimed = new LongAdder();
  private volatile boolean isClosing;
  private volatile boolean isRunning;

  /** Creates one without a map, and without a thread. */
  public Reclaimer(Execution execution) {
    this.execution = execution;
  }

  /** The passes through one map. For the reclaimer's thread. */
  private static final class Passes {
    private final ReclaimTask task;
    private boolean isUnderWay;
    private long pauseNanos = MIN_PAUSE_NANOS;
    private long ended;
    private boolean isFirst = true;

    Passes(ReclaimTask task) {
      this.task = task;
    }

    boolean isDue(long now) {
      if (isUnderWay || isFirst) {
        return true;
      }
      long waited = now - ended;
      return waited >= MAX_WAIT_NANOS || (waited >= pauseNanos && task.isWorthwhile());
    }

    ReclaimTask.Progress step() {
      if (!isUnderWay) {
        task.begin();
        isUnderWay = true;
        isFirst = false;
      }
      return task.step();
    }

    void ended(long now) {
      isUnderWay = false;
      ended = now;
      if (task.reclaimed() > task.looked() / 4) {
        pauseNanos = Math.max(MIN_PAUSE_NANOS, pauseNanos / 2);
      } else if (task.reclaimed() < task.looked() / 16) {
        pauseNanos = Math.min(MAX_PAUSE_NANOS, pauseNanos * 2);
      }
    }
  }

  /** Counts entries that were reclaimed, here or by a call of the program. */
  public void reclaimed(long entries) {
    reclaimed.add(entries);
  }

  /** Returns how many entries were reclaimed. */
  public long reclaimed() {
    return reclaimed.sum();
  }

  /** Adds a map, in place of an earlier handle of the same name. */
  public synchronized void add(ReclaimTask task) {
    maps.put(task.name(), new Passes(task));
    if (thread == null && !isClosing) {
      isRunning = true;
      boolean isStarted = false;
      try {
        thread = execution.start("howdah-expiry", this::run);
        isStarted = true;
      } finally {
        isRunning = isStarted;
      }
    }
  }

  private void run() {
    try {
      while (!isClosing) {
        if (!turn()) {
          execution.parkNanos(this, LOOK_NANOS);
        }
      }
    } catch (StoreClosedException | StoreFailedException e) {
      // Nothing is to be reclaimed any more.
    } finally {
      isRunning = false;
    }
  }

  /** Takes a step in each map that is due, and returns whether there was one. */
  private boolean turn() {
    boolean isDue = false;
    for (Passes passes : List.copyOf(maps.values())) {
      long started = execution.nanoTime();
      if (isClosing || !passes.isDue(started)) {
        continue;
      }
      isDue = true;
      ReclaimTask.Progress progress = step(passes);
      long now = execution.nanoTime();
      switch (progress) {
        case PASS_ENDED -> passes.ended(now);
        case GONE -> maps.remove(passes.task.name(), passes);
        case MORE -> {}
      }
      execution.parkNanos(this, Math.max(MIN_REST_NANOS, RESTS_PER_STEP * (now - started)));
    }
    return isDue;
  }

  /** Takes a step in a map. One whose entries cannot be read ends its own passes, and no others. */
  private static ReclaimTask.Progress step(Passes passes) {
    try {
      return passes.step();
    } catch (StoreClosedException | StoreFailedException e) {
      throw e;
    } catch (RuntimeException e) { // of a codec, or of what is stored
      passes.task.gaveUp(e);
      return ReclaimTask.Progress.GONE;
    }
  }

  /** Ends the thread, and waits for its step; ten seconds at most. */
  public void close() {
    Thread running;
    synchronized (this) {
      isClosing = true;
      running = thread;
    }
    if (running == null) {
      return;
    }
    execution.unpark(running);
    long started = execution.nanoTime();
    while (isRunning && running.isAlive() && execution.nanoTime() - started < CLOSE_NANOS) {
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
  }
}

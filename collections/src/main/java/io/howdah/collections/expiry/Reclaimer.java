package io.howdah.collections.expiry;

import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
 *
 * <p>Whatever a step throws ends the pass through its map, and no other: a codec may fail, the log
 * may be full. The next pass begins after twice the pause, and after each further failure twice as
 * late, an hour at most. Only a map that has gone has no further pass. A store that has stopped or
 * was closed ends the thread.
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

  /** For each name of a map that was opened: see {@link #earliest}. */
  private final Map<String, AtomicLong> earliest = new ConcurrentHashMap<>();

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

    /** The pause after the last pass, if that has failed; else 0. */
    private long retryNanos;

    Passes(ReclaimTask task) {
      this.task = task;
    }

    boolean isDue(long now) {
      if (isUnderWay || isFirst) {
        return true;
      }
      long waited = now - ended;
      if (retryNanos > 0) {
        return waited >= retryNanos;
      }
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

    /** Ends a pass that has failed. Others before it may have, then this was said. */
    void failed(long now, Throwable thrown) {
      boolean isFirstFailure = retryNanos == 0;
      isUnderWay = false;
      isFirst = false;
      ended = now;
      retryNanos = Math.min(MAX_WAIT_NANOS, 2 * Math.max(pauseNanos, retryNanos));
      task.passFailed(thrown, isFirstFailure);
    }

    void ended(long now) {
      isUnderWay = false;
      ended = now;
      retryNanos = 0;
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

  /**
   * The earliest expiry among entries put by transactions that have committed since the last pass
   * began, through any handle of a map; {@link Long#MAX_VALUE} if there is none. It is kept until
   * the store is closed.
   */
  public AtomicLong earliest(String name) {
    return earliest.computeIfAbsent(name, _ -> new AtomicLong(Long.MAX_VALUE));
  }

  /** Adds a map, in place of an earlier handle of the same name. */
  public synchronized void add(ReclaimTask task) {
    maps.put(task.name(), new Passes(task));
    if (!isRunning && !isClosing) {
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
      if (isClosing || !step(passes, started)) {
        continue;
      }
      isDue = true;
      long now = execution.nanoTime();
      execution.parkNanos(this, Math.max(MIN_REST_NANOS, RESTS_PER_STEP * (now - started)));
    }
    return isDue;
  }

  /** Takes a step in a map if one is due, and returns whether it was. */
  private boolean step(Passes passes, long started) {
    try {
      if (!passes.isDue(started)) {
        return false;
      }
      ReclaimTask.Progress progress = passes.step();
      switch (progress) {
        case PASS_ENDED -> passes.ended(execution.nanoTime());
        case GONE -> maps.remove(passes.task.name(), passes);
        case MORE -> {}
      }
    } catch (StoreClosedException | StoreFailedException e) {
      throw e;
    } catch (Throwable t) { // of a codec or a clock, for want of memory, or the log is full
      passes.failed(execution.nanoTime(), t);
    }
    return true;
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

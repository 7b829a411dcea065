package io.howdah;

import io.howdah.core.Execution;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitPoint;
import io.howdah.log.commit.Survival;
import io.howdah.log.flush.StabilityListener;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.StopReason;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Completion stages that wait for LSNs to become stable. Thread-safe.
 *
 * <p>The flusher only moves a stage to a queue. A thread of its own hands each one to the user's
 * executor, in a task of its own: so an executor that runs tasks in the caller, or that blocks,
 * delays other stages at most, and never a force.
 *
 * <p>At most {@value #MAX_PENDING} stages wait at once.
 */
final class StableStages {

  static final int MAX_PENDING = 1 << 16;

  private static final long LONGEST_PARK_NANOS = 100_000_000;
  private static final long QUEUE_FULL_NANOS = 100_000;
  private static final long HAND_OVER_NANOS = 10_000_000_000L;

  private final RedoLog log;
  private final Execution execution;
  private final ReliableExecutor executor;
  private final Lifecycle lifecycle;
  private final AtomicInteger pending = new AtomicInteger();
  private final Queue<Stage> released = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean parked = new AtomicBoolean();
  private final AtomicBoolean started = new AtomicBoolean();

  private volatile @Nullable Thread thread;
  private volatile boolean closing;
  private volatile boolean ended;

  StableStages(RedoLog log, Execution execution, ReliableExecutor executor, Lifecycle lifecycle) {
    this.log = log;
    this.execution = execution;
    this.executor = executor;
    this.lifecycle = lifecycle;
  }

  /**
   * Returns a stage that completes once a commit survives a power cut.
   *
   * @param timeoutNanos how long to try where too many arrive at once
   * @return null if too many wait already; the caller has to wait itself
   * @throws OutOfMemoryError if the thread cannot be started; the next call tries again
   */
  @Nullable CompletionStage<@Nullable Void> when(
      CommitPoint point, Survival survival, long timeoutNanos) {
    start();
    Stage stage = new Stage(point, survival);
    CompletionStage<@Nullable Void> told = stage.future.minimalCompletionStage();
    if (pending.incrementAndGet() > MAX_PENDING) {
      stage.uncount();
      return null;
    }
    boolean isTold = false;
    try {
      isTold = tell(stage, timeoutNanos);
    } finally {
      if (!isTold) {
        stage.uncount();
      }
    }
    return isTold ? told : null;
  }

  private void start() {
    if (started.compareAndSet(false, true)) {
      boolean isStarted = false;
      try {
        thread = execution.start("howdah-stages", this::run);
        isStarted = true;
      } finally {
        started.set(isStarted); // without a thread no stage would complete: the next call tries
      }
    }
  }

  private boolean tell(Stage stage, long timeoutNanos) {
    long began = execution.nanoTime();
    while (!stage.tryRegister()) {
      if (execution.nanoTime() - began >= timeoutNanos) {
        return false;
      }
      execution.parkThroughInterrupt(this, QUEUE_FULL_NANOS);
    }
    return true;
  }

  private void run() {
    try {
      while (true) {
        Stage stage = released.poll();
        if (stage != null) {
          stage.uncount();
          complete(stage);
        } else if (closing) {
          return;
        } else {
          sleep();
        }
      }
    } finally {
      ended = true;
    }
  }

  /** Has a stage completed, even if it takes a while until there is memory or a thread for that. */
  private void complete(Stage stage) {
    while (true) {
      try {
        executor.execute(stage);
        return;
      } catch (RuntimeException | Error e) {
        if (closing) {
          stage.run();
          return;
        }
        execution.parkThroughInterrupt(this, LONGEST_PARK_NANOS);
      }
    }
  }

  /** Sets the mark, then looks; who fills the queue does the converse. */
  private void sleep() {
    parked.set(true);
    if (released.isEmpty() && !closing) {
      execution.parkNanos(this, LONGEST_PARK_NANOS);
    }
    parked.set(false);
  }

  /**
   * Hands over what was released, and ends. The log has stopped, so everything was. An executor
   * that blocks is waited for ten seconds; the thread, which uses nothing of the store, then goes
   * on by itself.
   */
  void close() {
    closing = true;
    long began = execution.nanoTime();
    while (started.get() && !ended && execution.nanoTime() - began < HAND_OVER_NANOS) {
      Thread thread = this.thread;
      if (thread != null) {
        execution.unpark(thread);
      }
      execution.parkThroughInterrupt(this, QUEUE_FULL_NANOS);
    }
  }

  /** One stage; released by the log, completed on the user's executor. */
  private final class Stage implements StabilityListener, Runnable {
    private final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    private final AtomicBoolean isReleased = new AtomicBoolean();
    private final AtomicBoolean isCounted = new AtomicBoolean(true);
    private final CommitPoint point;
    private final Survival survival;
    private volatile boolean isStable;

    Stage(CommitPoint point, Survival survival) {
      this.point = point;
      this.survival = survival;
    }

    /**
     * Counts the stage as pending no more. Both the caller, if it gets an error, and the thread may
     * do that: the log may have the stage although it could not say so.
     */
    void uncount() {
      if (isCounted.compareAndSet(true, false)) {
        pending.decrementAndGet();
      }
    }

    /** Hands the stage to the log; returns false if that has too many already. */
    boolean tryRegister() {
      return log.whenReached(point, survival, this);
    }

    @Override
    public void released(boolean stable) {
      if (isReleased.compareAndSet(false, true)) {
        isStable = stable;
        boolean added = false;
        try {
          released.add(this);
          added = true;
        } finally {
          if (!added) {
            isReleased.set(false); // no memory: the log tells it again
          }
        }
        Thread thread = StableStages.this.thread;
        if (thread != null && parked.getAndSet(false)) {
          execution.unpark(thread);
        }
      }
    }

    @Override
    @SuppressWarnings("NullAway") // null is the one value of Void
    public void run() {
      if (isStable) {
        future.complete(null);
        return;
      }
      future.completeExceptionally(
          StopReason.of(lifecycle.failure(), "LSN " + point.lsn() + " was not durable yet", null));
    }
  }
}

package io.howdah.collections.journal;

import io.howdah.collections.changes.BatchListener;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangesLostException;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.RetryLimit;
import io.howdah.txn.words.RunningTx;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Calls a listener with changes, some at a time or one, on a thread of its own.
 *
 * <p>The thread reads some changes behind the position in a transaction, which waits by a retry
 * while there are none. What the transaction returns has survived what the program asked for, since
 * results are handed out only then. After each call that returns, the position moves behind its
 * last change. So the listener is called with each change, in order, and with the next ones only
 * after it has returned.
 *
 * <p>The thread waits in three places, and is woken by {@link #end} in each: in the retry by an
 * interrupt, which is sent nowhere else; in a pause by being unparked; for durability not at all,
 * which the store bounds.
 */
final class Delivery<K, V> implements Subscription {

  /** How many changes are read together at least, if there are as many. */
  private static final int READ_TOGETHER = 64;

  private static final long MIN_PAUSE_NANOS = 100_000_000;
  private static final long MAX_PAUSE_NANOS = 60_000_000_000L;
  private static final long CLOSE_NANOS = 10_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;

  private final Deliveries deliveries;
  private final Execution execution;
  private final JournalChanges<K, V> changes;
  private final BatchListener<K, V> listener;
  private final int maxBatch;
  private final TxOptions how;

  private volatile long position;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  private volatile @Nullable Throwable failure;

  /** Why the subscription ends, null if the program has closed it. */
  private volatile @Nullable Throwable reason;

  private volatile boolean isEnding;
  private volatile boolean isRunning;
  private volatile @Nullable Thread thread;

  /** The thread while it waits for changes; guarded by this. */
  private @Nullable Thread waiting;

  // For the thread alone.
  private long pauseNanos = MIN_PAUSE_NANOS;
  private boolean hasFailedToRead;

  Delivery(
      Deliveries deliveries,
      JournalChanges<K, V> changes,
      long position,
      Durability survived,
      int maxBatch,
      BatchListener<K, V> listener) {
    this.deliveries = deliveries;
    this.execution = deliveries.execution();
    this.changes = changes;
    this.position = position;
    this.how = TxOptions.of(survived).withReadOnly();
    this.maxBatch = maxBatch;
    this.listener = listener;
  }

  void start() {
    isRunning = true;
    boolean isStarted = false;
    try {
      thread = execution.start("howdah-changes", this::run);
      isStarted = true;
    } finally {
      isRunning = isStarted;
    }
  }

  // ---- On the thread of the subscription.

  private void run() {
    thread = Thread.currentThread(); // the listener may close before start() has stored it
    try {
      while (!isEnding) {
        if (!step()) {
          pause();
        }
      }
    } catch (Throwable t) {
      reason = t;
      throw t;
    } finally {
      deliveries.remove(this); // before a close that waits for the end returns
      isRunning = false;
      tellEnd();
    }
  }

  @SuppressWarnings("NullAway") // null is the one value of Void
  private void tellEnd() {
    Throwable reason = this.reason;
    if (reason == null) {
      ended.complete(null);
    } else {
      ended.completeExceptionally(reason);
    }
  }

  /** Tells of some changes, and returns whether that has succeeded. */
  private boolean step() {
    List<Change<K, V>> found;
    try {
      found = await();
    } catch (StoreClosedException e) {
      return endedByClose(e);
    } catch (StoreFailedException | ChangesLostException e) {
      return endedBy(e);
    } catch (Throwable t) { // of a codec, for want of memory, or it is not durable in time
      if (changes.isGone(t)) {
        return endedBy(t);
      }
      failed(t, "changes cannot be read, and are read again");
      hasFailedToRead = true;
      return false;
    }
    int next = 0;
    while (next < found.size() && !isEnding) {
      int end = Math.min(found.size(), next + maxBatch);
      if (!tell(found.subList(next, end))) {
        return false;
      }
      next = end;
    }
    return true;
  }

  private boolean endedByClose(StoreClosedException thrown) {
    reason = thrown;
    isEnding = true;
    return true;
  }

  private boolean endedBy(Throwable reason) {
    failure = reason;
    this.reason = reason;
    isEnding = true;
    deliveries.endedByItself();
    say("the subscription has ended", reason);
    return true;
  }

  /** Waits for changes, and returns them; none if the subscription is ending. */
  private List<Change<K, V>> await() {
    synchronized (this) {
      waiting = Thread.currentThread();
    }
    try {
      RetryLimit limit = new RetryLimit(execution, Long.MAX_VALUE, true);
      return deliveries
          .transactions()
          .call(
              how,
              tx -> {
                boolean _ = Thread.interrupted(); // before the look at the flag
                if (isEnding) {
                  return List.of();
                }
                List<Change<K, V>> found =
                    Collections.unmodifiableList(
                        changes.after(tx, position, Math.max(READ_TOGETHER, maxBatch)));
                if (hasFailedToRead) {
                  recovered();
                }
                if (found.isEmpty()) {
                  throw RunningTx.of(tx).retry(limit);
                }
                return found;
              });
    } finally {
      synchronized (this) {
        waiting = null;
      }
      boolean _ = Thread.interrupted();
    }
  }

  /** Calls the listener, and returns whether it has taken the changes. */
  private boolean tell(List<Change<K, V>> batch) {
    try {
      listener.changed(batch);
    } catch (Throwable t) { // whatever it is, the changes are not taken, and others go on
      if (!isEnding && !isEndedByStore()) {
        long first = batch.getFirst().position();
        failed(t, "the listener failed, and is called again with change " + first);
      }
      return false;
    } finally {
      boolean _ = Thread.interrupted(); // the listener's, and no reason to end a wait
    }
    position = batch.getLast().position();
    recovered();
    return true;
  }

  private void recovered() {
    hasFailedToRead = false;
    failure = null;
    pauseNanos = MIN_PAUSE_NANOS;
  }

  private boolean isEndedByStore() {
    try {
      deliveries.transactions().requireOpen();
      return false;
    } catch (StoreClosedException e) {
      return endedByClose(e);
    } catch (StoreFailedException e) {
      return endedBy(e);
    }
  }

  private void failed(Throwable thrown, String what) {
    boolean isFirst = pauseNanos == MIN_PAUSE_NANOS;
    failure = thrown;
    if (isFirst) {
      say(what, thrown);
    }
  }

  private void say(String what, Throwable thrown) {
    long at = position; // another thread writes the message, later
    boolean _ =
        deliveries
            .programLog()
            .say(
                System.Logger.Level.WARNING,
                () -> "subscription to " + changes + " at " + at + ": " + what + ": " + thrown);
  }

  private void pause() {
    long started = execution.nanoTime();
    long left = pauseNanos;
    pauseNanos = Math.min(MAX_PAUSE_NANOS, 2 * pauseNanos);
    long whole = left;
    while (!isEnding && left > 0) {
      execution.parkThroughInterrupt(this, left);
      left = whole - (execution.nanoTime() - started);
    }
  }

  // ---- On any thread.

  @Override
  public long position() {
    return position;
  }

  @Override
  public long lag() {
    long taken = position; // before the newest is read: the lag is never negative
    return deliveries.transactions().<Long, RuntimeException>read(changes::newest) - taken;
  }

  /**
   * Returns the lag, from memory as it is.
   *
   * @param word reads a word of the region, whoever writes it
   */
  long lag(LongUnaryOperator word) {
    long taken = position;
    return Math.max(0, word.applyAsLong(changes.newestAddress()) - taken);
  }

  @Override
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public boolean isOpen() {
    return isRunning;
  }

  @Override
  public CompletionStage<@Nullable Void> whenEnded() {
    return ended.minimalCompletionStage();
  }

  @Override
  public void close() {
    if (isRunning && !isEnding) {
      end();
      failure = null;
    }
    await(CLOSE_NANOS);
  }

  /** Ends the subscription because the store is closed. */
  void endByStore() {
    if (!isEnding) {
      reason = new StoreClosedException("the store was closed, and its subscriptions with it");
    }
    end();
  }

  /** Lets no further call of the listener begin. */
  void end() {
    isEnding = true;
    synchronized (this) {
      if (waiting != null) {
        waiting.interrupt();
      }
    }
    Thread running = thread;
    if (running != null) {
      execution.unpark(running);
    }
  }

  /** Waits for the end of the thread, unless it is the caller. */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  void await(long nanos) {
    Thread running = thread;
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    long started = execution.nanoTime();
    while (isRunning && running.isAlive() && execution.nanoTime() - started < nanos) {
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
  }
}

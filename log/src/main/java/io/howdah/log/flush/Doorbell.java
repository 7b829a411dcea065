package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitWords;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the flusher (docs/protocol.md, R3). Dekker: another thread first changes the state that the
 * flusher checks, then reads whether the flusher sleeps. The flusher first announces that it
 * sleeps, then checks that state again. Thread-safe.
 */
public final class Doorbell {

  private static final long ANY = 1;

  private final Region commitWords;
  private final Execution execution;

  private volatile @Nullable Thread flusher;

  public Doorbell(Region commitWords, Execution execution) {
    this.commitWords = commitWords;
    this.execution = execution;
  }

  void flusherIs(Thread thread) {
    flusher = thread;
  }

  /**
   * Wakes the flusher if it sleeps. The caller must have changed the state that the flusher checks
   * by a volatile store before.
   */
  void ring() {
    ring(Long.MAX_VALUE);
  }

  /**
   * Wakes the flusher if it sleeps until at most {@code arrived} entries are in the queue. The
   * caller must have enqueued itself before.
   */
  void ring(long arrived) {
    Thread thread = flusher;
    if (thread == null) {
      return;
    }
    long parked = commitWords.getLongVolatile(CommitWords.PARKED);
    // Only one of several threads that arrive together unparks, since that is a system call.
    if (parked != 0
        && arrived >= parked
        && commitWords.compareAndSetLong(CommitWords.PARKED, parked, 0)) {
      execution.unpark(thread);
    }
  }

  /**
   * Called by the flusher: sleeps until {@code deadline}, or until there is work.
   *
   * @param hasWork reads, volatile, the state that the waking threads have changed
   */
  void sleepUntil(long deadline, BooleanSupplier hasWork) {
    while (true) {
      commitWords.setLongVolatile(CommitWords.PARKED, ANY);
      long left = deadline - execution.nanoTime();
      if (left <= 0 || hasWork.getAsBoolean()) {
        break;
      }
      execution.parkNanos(this, left);
    }
    commitWords.setLongVolatile(CommitWords.PARKED, 0);
  }

  /**
   * Called by the flusher: sleeps until {@code target} entries are in the queue, while new entries
   * keep arriving.
   *
   * @param arrived returns the number of entries, read volatile
   * @param quietNanos maximum time without a new entry
   * @param isUrgent ends the wait when it is true; the thread that makes it true calls {@link
   *     #ring}
   */
  void gather(
      long target, IntSupplier arrived, long deadline, long quietNanos, BooleanSupplier isUrgent) {
    int before = arrived.getAsInt();
    while (before < target) {
      commitWords.setLongVolatile(CommitWords.PARKED, target);
      if (arrived.getAsInt() < target && !isUrgent.getAsBoolean()) {
        execution.parkNanos(this, quietNanos);
      }
      int now = arrived.getAsInt();
      if (now == before || isUrgent.getAsBoolean() || deadline - execution.nanoTime() <= 0) {
        break;
      }
      before = now;
    }
    commitWords.setLongVolatile(CommitWords.PARKED, 0);
  }
}

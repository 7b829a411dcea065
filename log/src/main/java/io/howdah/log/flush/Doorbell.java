package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitWords;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How other threads wake the flusher (docs/protocol.md, R3): they change what it looks for, then
 * look whether it sleeps; it says that it sleeps, then looks again. Thread-safe.
 */
public final class Doorbell {

  private static final long ANY = 1;

  private final Region words;
  private final Execution execution;

  private volatile @Nullable Thread flusher;

  public Doorbell(Region words, Execution execution) {
    this.words = words;
    this.execution = execution;
  }

  void flusherIs(Thread thread) {
    flusher = thread;
  }

  /** Wakes the flusher if it sleeps; the caller has changed, volatile, what it looks for. */
  void ring() {
    ring(Long.MAX_VALUE);
  }

  /**
   * Wakes the flusher if it sleeps and waits for no more than so many in the queue; the caller has
   * put itself, volatile, among them.
   */
  void ring(long arrived) {
    Thread thread = flusher;
    if (thread == null) {
      return;
    }
    long parked = words.getLongVolatile(CommitWords.PARKED);
    // One of those who come at the same time is enough: an unpark is a system call.
    if (parked != 0
        && arrived >= parked
        && words.compareAndSetLong(CommitWords.PARKED, parked, 0)) {
      execution.unpark(thread);
    }
  }

  /**
   * The flusher's: sleeps until {@code deadline}, or until there is something to do.
   *
   * @param hasWork reads, volatile, what those who ring have changed
   */
  void sleepUntil(long deadline, BooleanSupplier hasWork) {
    while (true) {
      words.setLongVolatile(CommitWords.PARKED, ANY);
      long left = deadline - execution.nanoTime();
      if (left <= 0 || hasWork.getAsBoolean()) {
        break;
      }
      execution.parkNanos(this, left);
    }
    words.setLongVolatile(CommitWords.PARKED, 0);
  }

  /**
   * The flusher's: sleeps until so many stand in the queue, as long as further ones keep coming.
   *
   * @param arrived how many do, read volatile
   * @param quietNanos ends when nobody has come for that long
   * @param isUrgent ends at once when this turns true; who makes it true rings
   */
  void gather(
      long target, IntSupplier arrived, long deadline, long quietNanos, BooleanSupplier isUrgent) {
    int before = arrived.getAsInt();
    while (before < target) {
      words.setLongVolatile(CommitWords.PARKED, target);
      if (arrived.getAsInt() < target && !isUrgent.getAsBoolean()) {
        execution.parkNanos(this, quietNanos);
      }
      int now = arrived.getAsInt();
      if (now == before || isUrgent.getAsBoolean() || deadline - execution.nanoTime() <= 0) {
        break;
      }
      before = now;
    }
    words.setLongVolatile(CommitWords.PARKED, 0);
  }
}

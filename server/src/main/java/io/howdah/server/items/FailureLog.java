package io.howdah.server.items;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Logs failures that may come with every command: one in ten seconds, with the number of those
 * before it that were not logged. Thread-safe.
 */
public final class FailureLog {

  private static final System.Logger LOG = System.getLogger(FailureLog.class.getName());
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String what;
  private final AtomicLong next = new AtomicLong(System.nanoTime());
  private final LongAdder silent = new LongAdder();

  /**
   * Creates one.
   *
   * @param what happens in consequence, for the message
   */
  public FailureLog(String what) {
    this.what = what;
  }

  /** Logs a failure, unless another one was logged just before. Throws nothing. */
  @SuppressWarnings("EmptyCatch") // said below
  public void failed(Throwable failure) {
    try {
      long now = System.nanoTime();
      long due = next.get();
      if (now - due < 0 || !next.compareAndSet(due, now + INTERVAL_NANOS)) {
        silent.increment();
        return;
      }
      long before = silent.sumThenReset();
      LOG.log(
          System.Logger.Level.WARNING,
          what
              + ": "
              + failure.getMessage()
              + (before == 0 ? "" : " (and " + before + " times since this was last logged)"),
          failure);
    } catch (Throwable t) {
      // There is no memory to say so.
    }
  }
}

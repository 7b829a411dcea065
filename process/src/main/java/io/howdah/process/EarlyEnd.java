package io.howdah.process;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets a long run end before its time with a report: after Ctrl-C, or another request to the JVM to
 * end, {@link #isAsked} is true, and the JVM waits at most two minutes until this is closed.
 * Thread-safe.
 */
public final class EarlyEnd implements AutoCloseable {

  private static final long REPORT_SECONDS = 120;
  private static final long SIGNAL_NANOS = 2_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;

  private final CountDownLatch reported = new CountDownLatch(1);
  private final AutoCloseable onExit = this::askAndWait;
  private volatile boolean asked;

  /** Begins to listen. */
  public EarlyEnd() {
    AtExit.close(onExit);
  }

  /**
   * Goes before everything that {@link AtExit} has to close: before a child that was started since,
   * which works until the run says that it is to end, and before the files below it.
   */
  public void goFirst() {
    AtExit.forget(onExit);
    AtExit.close(onExit);
  }

  /** Returns whether the run is to end. */
  public boolean isAsked() {
    return asked;
  }

  /**
   * Returns whether the run is to end, or is told so in the next two seconds: a terminal sends
   * Ctrl-C to all processes, and a child may be gone first.
   */
  public boolean isAskedSoon() {
    long deadline = System.nanoTime() + SIGNAL_NANOS;
    while (!asked && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    return asked;
  }

  /** Asks the run to end. */
  public void ask() {
    asked = true;
  }

  private void askAndWait() throws InterruptedException {
    ask();
    // Whether the report comes or not, the JVM ends.
    boolean _ = reported.await(REPORT_SECONDS, TimeUnit.SECONDS);
  }

  /** The report is written: lets the JVM end, if it has been told to. */
  @Override
  public void close() {
    AtExit.forget(onExit);
    reported.countDown();
  }
}

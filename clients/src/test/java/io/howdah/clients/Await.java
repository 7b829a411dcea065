package io.howdah.clients;

import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what a client or a server will do. */
final class Await {

  /** Nothing takes this long, not even on a machine that is busy with much else. */
  static final int SECONDS = 20;

  private static final long NANOS = SECONDS * 1_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;

  private Await() {}

  /** Asks until the answer is yes. A failure counts as no, until there is no time left. */
  static void until(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + NANOS;
    Exception last = null;
    while (System.nanoTime() < deadline) {
      try {
        if (condition.call()) {
          return;
        }
        last = null;
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    throw new AssertionError("not in " + SECONDS + " seconds: " + what, last);
  }
}

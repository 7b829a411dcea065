package io.howdah.log.commit;

import io.howdah.core.Execution;

/**
 * Waiting, for actors that must not wait for each other: whoever would spin or park is stopped by
 * an exception, so that what it left behind stays as it is while it sleeps. Unparks are counted;
 * not thread-safe, so by one actor only.
 */
public final class OneStep implements Execution {

  /** Ends an actor that would have to wait for the other. */
  public static final class WouldWait extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private WouldWait() {
      super("would wait", null, false, false);
    }
  }

  private final WouldWait wouldWait = new WouldWait();

  /** How often somebody was unparked. */
  public int unparks;

  /** Starts over for another state. */
  public void reset() {
    unparks = 0;
  }

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    throw wouldWait;
  }

  @Override
  public void unpark(Thread thread) {
    unparks++;
  }

  @Override
  public void spinWait() {
    throw wouldWait;
  }

  @Override
  public void yieldNow() {
    throw wouldWait;
  }

  @Override
  public Thread start(String name, Runnable body) {
    throw new UnsupportedOperationException("a test of single steps starts no thread: " + name);
  }

  @Override
  public int availableProcessors() {
    return 2;
  }
}

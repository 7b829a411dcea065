package io.howdah.core;

import java.security.SecureRandom;
import java.util.concurrent.locks.LockSupport;

/** {@link Execution} on the running JVM's threads. */
final class SystemExecution implements Execution {

  static final SystemExecution INSTANCE = new SystemExecution();

  /** Fewer are unparked before a thread that would do it has started. */
  private static final int WORTH_A_THREAD = 32;

  private final SecureRandom random = new SecureRandom();

  private SystemExecution() {}

  @Override
  public long randomLong() {
    return random.nextLong();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  @Override
  public void park(Object blocker) {
    // A timed park of a virtual thread wakes the thread that keeps the timers, every time.
    if (Thread.currentThread().isVirtual()) {
      LockSupport.park(blocker);
    } else {
      Execution.super.park(blocker);
    }
  }

  @Override
  public void unpark(Thread thread) {
    LockSupport.unpark(thread);
  }

  /**
   * Has a virtual thread unpark the others: what one of them unparks goes to the queue of its own
   * carrier, while what a thread outside unparks goes one by one through a queue that all carriers
   * fight for.
   */
  @Override
  public void unparkAll(Thread[] threads) {
    if (threads.length >= WORTH_A_THREAD) {
      try {
        Thread.startVirtualThread(() -> unparkEach(threads));
        return;
      } catch (OutOfMemoryError e) {
        // Nobody may be left asleep for that.
      }
    }
    unparkEach(threads);
  }

  private static void unparkEach(Thread[] threads) {
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void spinWait() {
    Thread.onSpinWait();
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // a hint to the scheduler is this method's very contract
  public void yieldNow() {
    Thread.yield();
  }

  @Override
  public Thread start(String name, Runnable body) {
    return Thread.ofPlatform().daemon(true).name(name).start(body);
  }

  @Override
  public int availableProcessors() {
    return Runtime.getRuntime().availableProcessors();
  }
}

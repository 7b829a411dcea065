package io.howdah.core;

import java.util.concurrent.locks.LockSupport;

/** {@link Execution} on the running JVM's threads. */
final class SystemExecution implements Execution {

  static final SystemExecution INSTANCE = new SystemExecution();

  /** With fewer threads, unparking them takes less time than starting a thread for it. */
  private static final int WORTH_A_THREAD = 32;

  private SystemExecution() {}

  @Override
  public long randomLong() {
    return SystemRandom.nextLong();
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
    // Every timed park of a virtual thread wakes the JVM's timer thread.
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
   * Lets a virtual thread unpark the others: threads that it unparks go to the queue of its own
   * carrier, while a platform thread puts each of them into one queue that all carriers contend
   * for.
   */
  @Override
  public void unparkAll(Thread[] threads) {
    if (threads.length >= WORTH_A_THREAD) {
      try {
        Thread.startVirtualThread(() -> unparkEach(threads));
        return;
      } catch (OutOfMemoryError e) {
        // No thread may stay parked for lack of memory.
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
  @SuppressWarnings("ThreadPriorityCheck") // this method is documented as a hint to the scheduler
  public void yieldNow() {
    Thread.yield();
  }

  @Override
  public Thread start(String name, Runnable body) {
    Thread thread = new Thread(body, name); // a builder is five more classes for an opening
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public int availableProcessors() {
    return Runtime.getRuntime().availableProcessors();
  }
}

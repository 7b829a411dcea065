package io.howdah.core;

import java.util.concurrent.locks.LockSupport;

/** {@link Execution} on the running JVM's threads. */
final class SystemExecution implements Execution {

  static final SystemExecution INSTANCE = new SystemExecution();

  private SystemExecution() {}

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

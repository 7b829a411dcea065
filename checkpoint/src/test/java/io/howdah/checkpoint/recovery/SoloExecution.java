package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;

/** One processor, no threads, and time that moves when it is asked for. */
final class SoloExecution implements Execution {

  private long now;

  @Override
  public long nanoTime() {
    return now += 1000;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    throw new AssertionError("nobody else is there to wait for");
  }

  @Override
  public void unpark(Thread thread) {}

  @Override
  public void spinWait() {}

  @Override
  public void yieldNow() {}

  @Override
  public Thread start(String name, Runnable body) {
    throw new AssertionError("a thread on one processor: " + name);
  }

  @Override
  public int availableProcessors() {
    return 1;
  }
}

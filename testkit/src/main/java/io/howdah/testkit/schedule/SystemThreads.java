package io.howdah.testkit.schedule;

import io.howdah.core.Execution;

/** The system's threads and clock, for tests to change something about. */
public abstract class SystemThreads implements Execution {

  /** The system's own, which a test calls for what it does not change. */
  public final Execution system = Execution.system();

  /** For what a test changes. */
  protected SystemThreads() {}

  @Override
  public long nanoTime() {
    return system.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    system.parkNanos(blocker, nanos);
  }

  @Override
  public void unpark(Thread thread) {
    system.unpark(thread);
  }

  @Override
  public void spinWait() {
    system.spinWait();
  }

  @Override
  public void yieldNow() {
    system.yieldNow();
  }

  @Override
  public int availableProcessors() {
    return 2;
  }
}

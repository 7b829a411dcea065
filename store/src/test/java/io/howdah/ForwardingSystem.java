package io.howdah;

import io.howdah.core.Execution;

/** The system's threads and time, of which a test replaces some. */
public class ForwardingSystem implements Execution {

  private final Execution system = Execution.system();

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
  public Thread start(String name, Runnable body) {
    return system.start(name, body);
  }

  @Override
  public int availableProcessors() {
    return system.availableProcessors();
  }
}

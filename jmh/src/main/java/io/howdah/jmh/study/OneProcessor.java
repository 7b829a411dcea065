package io.howdah.jmh.study;

import io.howdah.core.Execution;

/**
 * The real execution, which says that there is one processor. So nothing spins while it waits for a
 * force, and a recovery has one thread. Stateless.
 */
final class OneProcessor implements Execution {

  private final Execution real = Execution.system();

  OneProcessor() {}

  @Override
  public int availableProcessors() {
    return 1;
  }

  @Override
  public long nanoTime() {
    return real.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    real.parkNanos(blocker, nanos);
  }

  @Override
  public void park(Object blocker) {
    real.park(blocker);
  }

  @Override
  public void unpark(Thread thread) {
    real.unpark(thread);
  }

  @Override
  public void unparkAll(Thread[] threads) {
    real.unparkAll(threads);
  }

  @Override
  public void spinWait() {
    real.spinWait();
  }

  @Override
  public void yieldNow() {
    real.yieldNow();
  }

  @Override
  public Thread start(String name, Runnable body) {
    return real.start(name, body);
  }
}

package io.howdah.txn;

import io.howdah.core.Execution;
import java.util.concurrent.CountDownLatch;

/** The system's threads, but those that replay in the background do nothing until they are let. */
final class HeldReplay implements Execution {

  private final Execution system = Execution.system();
  private final CountDownLatch latch = new CountDownLatch(1);

  /** Lets the threads go. */
  void release() {
    latch.countDown();
  }

  @Override
  public Thread start(String name, Runnable body) {
    return system.start(
        name,
        () -> {
          if (name.startsWith("howdah-replay")) {
            awaitRelease();
          }
          body.run();
        });
  }

  private void awaitRelease() {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

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

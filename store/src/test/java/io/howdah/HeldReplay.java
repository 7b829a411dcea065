package io.howdah;

import io.howdah.testkit.schedule.SystemThreads;
import java.util.concurrent.CountDownLatch;

/** The system's threads, but those that replay in the background do nothing until they are let. */
final class HeldReplay extends SystemThreads {

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
}

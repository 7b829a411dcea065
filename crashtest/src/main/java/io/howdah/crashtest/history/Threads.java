package io.howdah.crashtest.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Threads that begin together.
 *
 * @param count how many
 * @param virtual whether they are virtual
 */
public record Threads(int count, boolean virtual) {

  /** Checks the count. */
  public Threads {
    if (count < 1) {
      throw new IllegalArgumentException("at least one thread: " + count);
    }
  }

  /** Runs each in a thread of its own, and waits; the first failure is thrown. */
  void run(List<Runnable> works) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(works.size());
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (Runnable work : works) {
      Runnable all =
          () -> {
            try {
              start.countDown();
              start.await();
              work.run();
            } catch (InterruptedException | RuntimeException | Error e) {
              failure.compareAndSet(null, e);
            }
          };
      threads.add(virtual ? Thread.ofVirtual().start(all) : Thread.ofPlatform().start(all));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new IllegalStateException("a thread of the workload failed: " + failed, failed);
    }
  }
}

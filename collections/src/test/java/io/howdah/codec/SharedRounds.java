package io.howdah.codec;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Rounds in which threads begin at once to use a thing that is new in each round. */
final class SharedRounds {

  private SharedRounds() {}

  /** What each thread does in each round. */
  interface Use<T> {
    void use(T shared, int thread);
  }

  /** Runs all rounds, and throws what the first thread that failed has thrown. */
  static <T> void run(int threads, int rounds, Supplier<T> factory, Use<T> use) throws Exception {
    AtomicReference<T> shared = new AtomicReference<>();
    CyclicBarrier barrier = new CyclicBarrier(threads, () -> shared.set(factory.get()));
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  try {
                    for (int round = 0; round < rounds; round++) {
                      barrier.await();
                      use.use(shared.get(), thread);
                      barrier.await(); // all have used it
                    }
                  } catch (Throwable t) {
                    barrier.reset(); // or the others would wait for this one
                    throw t;
                  }
                  return null;
                }));
      }
      List<Throwable> thrown = new ArrayList<>();
      for (Future<?> each : running) {
        try {
          Object _ = each.get();
        } catch (ExecutionException e) {
          thrown.add(e.getCause());
        }
      }
      for (Throwable t : thrown) {
        if (!(t instanceof BrokenBarrierException)) {
          throw new AssertionError("a thread that shares has failed", t);
        }
      }
      if (!thrown.isEmpty()) {
        throw new AssertionError("a round was broken off", thrown.getFirst());
      }
    }
  }
}

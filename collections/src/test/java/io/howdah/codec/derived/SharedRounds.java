package io.howdah.codec.derived;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Rounds in which threads begin at once to use a thing that is new in each round. */
final class SharedRounds {

  private SharedRounds() {}

  /** What each thread does in each round. */
  interface Use<T> {
    void use(T shared, int thread);
  }

  /** Runs all rounds, and throws what the first thread that failed has thrown. */
  static <T> void run(int threads, int rounds, Supplier<T> factory, Use<T> use) throws Exception {
    List<T> shared = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      shared.add(factory.get());
    }
    Phaser start = new Phaser(threads);
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  try {
                    for (T each : shared) {
                      start.arriveAndAwaitAdvance();
                      use.use(each, thread);
                    }
                  } finally {
                    start.arriveAndDeregister(); // the others need not wait for this one
                  }
                }));
      }
    }
    for (Future<?> each : running) {
      try {
        @Nullable Object _ = each.get();
      } catch (ExecutionException e) {
        throw new AssertionError("a thread that shares has failed", e.getCause());
      }
    }
  }
}

package io.howdah.jmh.study;

import io.howdah.CheckpointReport;
import io.howdah.Store;
import io.howdah.jmh.workload.Rounds;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Takes checkpoints without pause while something is measured. */
final class CheckpointLoop {

  private final Store store;
  private int count;
  private @Nullable CheckpointReport last;

  CheckpointLoop(Store store) {
    this.store = store;
  }

  int count() {
    return count;
  }

  @Nullable CheckpointReport last() {
    return last;
  }

  double during(Rounds.Measurement measurement) throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform()
            .name("checkpoints")
            .start(
                () -> {
                  try {
                    while (!stop.get()) {
                      last = store.admin().checkpoint();
                      count++;
                    }
                  } catch (Throwable t) {
                    failure.set(t);
                  }
                });
    double result;
    try {
      result = measurement.run();
    } finally {
      stop.set(true);
      thread.join();
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("a checkpoint failed", thrown);
    }
    return result;
  }
}

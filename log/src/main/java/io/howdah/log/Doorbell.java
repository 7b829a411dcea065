package io.howdah.log;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How other threads wake the flusher (docs/protocol.md, R3): they change what it looks for, then
 * look whether it sleeps; it says that it sleeps, then looks again. Thread-safe.
 */
final class Doorbell {

  private final Region words;
  private final Execution execution;

  private volatile @Nullable Thread flusher;

  Doorbell(Region words, Execution execution) {
    this.words = words;
    this.execution = execution;
  }

  void flusherIs(Thread thread) {
    flusher = thread;
  }

  /** Wakes the flusher if it sleeps; the caller has changed, volatile, what it looks for. */
  void ring() {
    Thread thread = flusher;
    if (thread != null && words.getLongVolatile(CommitWords.PARKED) != 0) {
      execution.unpark(thread);
    }
  }

  /**
   * The flusher's: sleeps until {@code deadline}, or until there is something to do.
   *
   * @param hasWork reads, volatile, what those who ring have changed
   */
  void sleepUntil(long deadline, BooleanSupplier hasWork) {
    words.setLongVolatile(CommitWords.PARKED, 1);
    for (long left = deadline - execution.nanoTime();
        left > 0 && !hasWork.getAsBoolean();
        left = deadline - execution.nanoTime()) {
      execution.parkNanos(this, left);
    }
    words.setLongVolatile(CommitWords.PARKED, 0);
  }
}

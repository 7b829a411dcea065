package io.howdah.crashtest.scenario;

import io.howdah.core.Execution;
import java.util.function.LongSupplier;

/** An execution whose engine threads of some name begin only after a while. */
final class LateThreads extends ForwardingExecution {

  private final String prefix;
  private final LongSupplier nanos;

  /**
   * Wraps an execution.
   *
   * @param prefix how the threads' names start
   * @param nanos how long each of them waits first
   */
  LateThreads(Execution execution, String prefix, LongSupplier nanos) {
    super(execution);
    this.prefix = prefix;
    this.nanos = nanos;
  }

  @Override
  public Thread start(String name, Runnable body) {
    long late = name.startsWith(prefix) ? nanos.getAsLong() : 0;
    long started = execution.nanoTime();
    return execution.start(
        name,
        () -> {
          for (long left = late; left > 0; left = started + late - execution.nanoTime()) {
            execution.parkNanos(this, left);
          }
          body.run();
        });
  }
}

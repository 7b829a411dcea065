package io.howdah.crashtest.scenario;

import io.howdah.core.Execution;
import java.util.HashMap;
import java.util.Map;

/**
 * An execution that remembers which number each of the engine's threads got, so that a schedule can
 * be told about one of them. For simulated threads, of which one runs at a time.
 */
final class NamedThreads implements Execution {

  private final Execution execution;
  private final Map<String, Long> numbers = new HashMap<>();

  NamedThreads(Execution execution) {
    this.execution = execution;
  }

  /** Returns the number of the thread last started by this name, or -1 if none was. */
  long numberOf(String name) {
    return numbers.getOrDefault(name, -1L);
  }

  @Override
  public Thread start(String name, Runnable body) {
    return execution.start(
        name,
        () -> {
          numbers.put(name, execution.threadNumber());
          body.run();
        });
  }

  @Override
  public long nanoTime() {
    return execution.nanoTime();
  }

  @Override
  public long wallClockMillis() {
    return execution.wallClockMillis();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    execution.parkNanos(blocker, nanos);
  }

  @Override
  public void unpark(Thread thread) {
    execution.unpark(thread);
  }

  @Override
  public void spinWait() {
    execution.spinWait();
  }

  @Override
  public void yieldNow() {
    execution.yieldNow();
  }

  @Override
  public long threadNumber() {
    return execution.threadNumber();
  }

  @Override
  public int availableProcessors() {
    return execution.availableProcessors();
  }
}

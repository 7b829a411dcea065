package io.howdah.crashtest.scenario;

import io.howdah.core.Execution;
import java.util.HashMap;
import java.util.Map;

/**
 * An execution that remembers which number each of the engine's threads got, so that a schedule can
 * be told about one of them. For simulated threads, of which one runs at a time.
 */
final class NamedThreads extends ForwardingExecution {

  private final Map<String, Long> numbers = new HashMap<>();

  NamedThreads(Execution execution) {
    super(execution);
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
}

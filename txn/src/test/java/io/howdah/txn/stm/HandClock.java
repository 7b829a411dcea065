package io.howdah.txn.stm;

import io.howdah.core.Execution;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One thread and a clock that only its parks move. A test acts in the place of the other threads
 * while the one thread parks, spins or yields.
 */
final class HandClock implements Execution {

  private static final int MAX_WAITS = 100_000;

  long nanos = 1_000_000;
  int spins;
  int yields;
  Runnable onPark = () -> {};
  Runnable onSpin = () -> {};
  boolean lacksMemory;
  final List<Long> parks = new ArrayList<>();
  final List<Thread> unparked = new ArrayList<>();

  /** What was to be started, by the threads' names: a test runs it when it likes. */
  final Map<String, Runnable> bodies = new LinkedHashMap<>();

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    parks.add(nanos);
    requireEnd(parks.size());
    this.nanos += nanos;
    onPark.run();
  }

  @Override
  public void unpark(Thread thread) {
    unparked.add(thread);
  }

  @Override
  public void spinWait() {
    requireEnd(++spins);
    onSpin.run();
  }

  @Override
  public void yieldNow() {
    requireEnd(++yields);
  }

  private static void requireEnd(int waits) {
    if (waits > MAX_WAITS) {
      throw new AssertionError("waits without end");
    }
  }

  @Override
  public Thread start(String name, Runnable body) {
    if (lacksMemory) {
      throw new OutOfMemoryError("no memory, by the test");
    }
    bodies.put(name, body);
    return Thread.currentThread();
  }

  @Override
  public int availableProcessors() {
    return 1;
  }
}

package io.howdah.log.flush;

import io.howdah.core.Execution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One thread and a clock that only its parks move. A test acts in the place of the other threads
 * while the one thread parks.
 */
final class ManualExecution implements Execution {

  /** More calls of one kind than any test needs: what repeats them does not end. */
  private static final int MAX_CALLS = 100_000;

  static final long WALL_CLOCK_MILLIS = 1_700_000_000_000L;

  long nanos = 1_000_000;
  Runnable onPark = () -> {};
  Runnable onYield = () -> {};
  Runnable onSpin = () -> {};
  boolean lacksMemory;
  int yields;
  final List<Long> parks = new ArrayList<>();
  final Map<String, Runnable> bodies = new HashMap<>();
  final List<Thread> unparked = new ArrayList<>();
  int processors = 1;

  /** What each look at the clock takes. */
  long tick;

  private int looks;
  private int spins;

  private static void requireEnd(int count) {
    if (count > MAX_CALLS) {
      throw new IllegalStateException("goes on without end");
    }
  }

  @Override
  public long nanoTime() {
    requireEnd(++looks);
    nanos += tick;
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
    nanos += 10;
    onSpin.run();
  }

  @Override
  public void yieldNow() {
    requireEnd(++yields);
    nanos += 100;
    onYield.run();
  }

  @Override
  public int threadGroup(int groups) {
    if (lacksMemory) {
      throw new OutOfMemoryError("on purpose");
    }
    return groups - 1;
  }

  /** Starts nothing: a test runs the body when it likes. */
  @Override
  public Thread start(String name, Runnable body) {
    bodies.put(name, body);
    return Thread.currentThread();
  }

  @Override
  public long wallClockMillis() {
    return WALL_CLOCK_MILLIS + nanos / 1_000_000;
  }

  @Override
  public int availableProcessors() {
    return processors;
  }
}

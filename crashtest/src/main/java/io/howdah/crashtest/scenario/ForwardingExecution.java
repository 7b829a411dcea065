package io.howdah.crashtest.scenario;

import io.howdah.core.Execution;

/** An execution that leaves everything to another one, but for what a subclass does itself. */
abstract class ForwardingExecution implements Execution {

  final Execution execution;

  ForwardingExecution(Execution execution) {
    this.execution = execution;
  }

  @Override
  public Thread start(String name, Runnable body) {
    return execution.start(name, body);
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
  public void parkThroughInterrupt(Object blocker, long nanos) {
    execution.parkThroughInterrupt(blocker, nanos);
  }

  @Override
  public void park(Object blocker) {
    execution.park(blocker);
  }

  @Override
  public void unpark(Thread thread) {
    execution.unpark(thread);
  }

  @Override
  public void unparkAll(Thread[] threads) {
    execution.unparkAll(threads);
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
  public int threadGroup(int groups) {
    return execution.threadGroup(groups);
  }

  @Override
  public long randomLong() {
    return execution.randomLong();
  }

  @Override
  public int availableProcessors() {
    return execution.availableProcessors();
  }
}

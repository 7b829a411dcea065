package io.howdah.jmh.ycsb;

import java.util.concurrent.atomic.AtomicLong;

/** Writes every record once, together with other threads. */
final class LoadPhase implements Phase {

  private final AtomicLong next;
  private final long end;

  LoadPhase(AtomicLong next, long end) {
    this.next = next;
    this.end = end;
  }

  @Override
  public long nextDueNanos() {
    return next.get() < end ? System.nanoTime() : NEVER;
  }

  @Override
  public void add(Pipeline pipeline, long dueNanos) {
    long number = next.getAndIncrement();
    if (number < end) {
      pipeline.set(number, 0, dueNanos);
    }
  }
}

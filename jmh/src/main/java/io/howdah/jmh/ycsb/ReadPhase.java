package io.howdah.jmh.ycsb;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Reads every record once, together with other threads. */
final class ReadPhase implements Phase {

  private final AtomicLong next;
  private final long end;
  private final @Nullable WriteRecord record;

  /**
   * Prepares it.
   *
   * @param next number of the next record, shared by the threads
   * @param end number of records
   * @param record of what was written, to compare with; null to compare nothing but the form
   */
  ReadPhase(AtomicLong next, long end, @Nullable WriteRecord record) {
    this.next = next;
    this.end = end;
    this.record = record;
  }

  @Override
  public long nextDueNanos() {
    return next.get() < end ? System.nanoTime() : NEVER;
  }

  @Override
  public void add(Pipeline pipeline, long dueNanos) {
    long number = next.getAndIncrement();
    if (number < end) {
      pipeline.get(number, dueNanos);
    }
  }

  @Override
  public void hit(long number, long version) {
    if (record != null) {
      record.found(number, version);
    }
  }

  @Override
  public void miss(long number) {
    if (record != null) {
      record.missed(number);
    }
  }
}

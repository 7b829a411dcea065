package io.howdah.jmh.ycsb;

import io.howdah.jmh.ycsb.Mix.Operation;

/** Draws operations of a mix until a time, at once or each when it is due. */
final class MixPhase implements Phase {

  private final OperationChooser chooser;
  private final long lastsNanos;
  private final double nanosEach;
  private final long versions;
  private long begin;
  private long count;

  /**
   * Prepares it; its time begins when it is first asked.
   *
   * @param perSecond operations that are due each second; infinite for as many as can be
   * @param versions the first of the versions that it writes
   */
  MixPhase(OperationChooser chooser, long nanos, double perSecond, long versions) {
    this.chooser = chooser;
    this.lastsNanos = nanos;
    this.nanosEach = 1e9 / perSecond;
    this.versions = versions;
  }

  @Override
  public long nextDueNanos() {
    long now = System.nanoTime();
    if (count == 0) {
      begin = begin == 0 ? now : begin;
      return begin; // a thread that starts late runs at least one operation
    }
    long due = nanosEach == 0 ? now : begin + (long) (count * nanosEach);
    return due - begin < lastsNanos ? due : NEVER;
  }

  @Override
  public void add(Pipeline pipeline, long dueNanos) {
    count++;
    Operation operation = chooser.operation();
    switch (operation) {
      case READ -> pipeline.get(chooser.existing(), dueNanos);
      case UPDATE -> pipeline.set(chooser.existing(), versions + count, dueNanos);
      case INSERT -> pipeline.set(chooser.inserted(), versions + count, dueNanos);
      case READ_MODIFY_WRITE -> {
        long number = chooser.existing();
        pipeline.get(number, dueNanos);
        pipeline.set(number, versions + count, dueNanos);
      }
    }
  }

  @Override
  public void stored(long number, long version) {
    chooser.stored(number);
  }
}

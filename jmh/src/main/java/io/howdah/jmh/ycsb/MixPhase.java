package io.howdah.jmh.ycsb;

import io.howdah.jmh.ycsb.Mix.Operation;

/** Draws operations of a mix until a time, at once or each when it is due. */
final class MixPhase implements Phase {

  private final OperationChooser chooser;
  private final long begin;
  private final long end;
  private final double nanosEach;
  private final long versions;
  private long count;

  MixPhase(OperationChooser chooser, long begin, long nanos, double perSecond, int thread) {
    this.chooser = chooser;
    this.begin = begin;
    this.end = begin + nanos;
    this.nanosEach = 1e9 / perSecond;
    this.versions = (begin << 8) ^ thread;
  }

  @Override
  public long nextDueNanos() {
    long due = nanosEach == 0 ? System.nanoTime() : begin + (long) (count * nanosEach);
    return due - end < 0 ? due : NEVER;
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
  public void stored(long number) {
    chooser.stored(number);
  }
}

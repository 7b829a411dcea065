package io.howdah.jmh.ycsb;

/** Overwrites records all over the load until a time, and notes each write. */
final class RecordedPhase implements Phase {

  /** Prime, so that the steps reach every record of a load that it does not divide. */
  private static final long STEP = 7_368_787;

  private final WriteRecord record;
  private final long lastsNanos;
  private final long begin = System.nanoTime();
  private long count;

  RecordedPhase(WriteRecord record, long nanos) {
    this.record = record;
    this.lastsNanos = nanos;
  }

  @Override
  public long nextDueNanos() {
    long now = System.nanoTime();
    return now - begin < lastsNanos ? now : NEVER;
  }

  @Override
  public void add(Pipeline pipeline, long dueNanos) {
    int number = (int) (count++ * STEP % record.records());
    pipeline.set(number, record.next(number), dueNanos);
  }

  @Override
  public void stored(long number, long version) {
    record.acknowledged(number, version);
  }
}

package io.howdah.jmh.ycsb;

import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * A program that reads through a cache beside a database: what the cache does not have it reads
 * from the database, which answers so many reads a second, and puts it into the cache. While too
 * many reads wait for the database, the program reads no more.
 */
final class LookAsidePhase implements Phase {

  /** How many of the program's threads may wait for the database. */
  private static final int MAX_WAITING = 64;

  private final OperationChooser chooser;
  private final long nanosPerFill;
  private final Timeline timeline;
  private final ArrayDeque<Long> waiting = new ArrayDeque<>();
  private final BitSet isWaiting = new BitSet();
  private long nextFill = System.nanoTime();

  /**
   * Prepares it.
   *
   * @param databaseReads per second
   * @param timeline when it ends, and what it notes
   */
  LookAsidePhase(OperationChooser chooser, double databaseReads, Timeline timeline) {
    this.chooser = chooser;
    this.nanosPerFill = (long) (1e9 / databaseReads);
    this.timeline = timeline;
  }

  @Override
  public long nextDueNanos() {
    long now = System.nanoTime();
    if (now - timeline.endNanos() >= 0) {
      return NEVER;
    }
    return waiting.size() < MAX_WAITING ? now : nextFill;
  }

  @Override
  public void add(Pipeline pipeline, long dueNanos) {
    long now = System.nanoTime();
    if (!waiting.isEmpty() && nextFill - now <= 0) {
      long number = waiting.remove();
      pipeline.set(number, 0, dueNanos);
      // The database does not catch up on what nobody asked for meanwhile.
      nextFill = Math.max(nextFill, now - nanosPerFill * MAX_WAITING) + nanosPerFill;
    } else {
      pipeline.get(chooser.existing(), dueNanos);
    }
  }

  @Override
  public void hit(long number, long version) {
    timeline.answered(true, System.nanoTime());
  }

  @Override
  public void miss(long number) {
    timeline.answered(false, System.nanoTime());
    if (!isWaiting.get((int) number)) {
      isWaiting.set((int) number);
      waiting.add(number);
    }
  }

  @Override
  public void stored(long number, long version) {
    isWaiting.clear((int) number);
  }
}

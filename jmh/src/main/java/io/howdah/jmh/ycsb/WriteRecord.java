package io.howdah.jmh.ycsb;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a client has written and what the server has acknowledged, kept outside of the server, to
 * compare with what a restarted server has. The load phase is version 0 of every record; the caller
 * vouches that all of it was acknowledged. For one thread at a time, but for the count of
 * acknowledgements, which any thread may ask for.
 *
 * <p>The versions are off the heap: a store that is opened in this process must not meet a larger
 * heap, and so more work of the collector, where there are more records.
 */
public final class WriteRecord {

  /** In the place of a version: the record was found to be lost. */
  private static final long ABSENT = -1;

  private final int records;
  private final MemorySegment sent;
  private final MemorySegment acknowledged;
  private long version;
  private final AtomicLong acknowledgements = new AtomicLong();
  private long lost;
  private long invented;

  /** Creates one for the records of a load. */
  public WriteRecord(int records) {
    this.records = records;
    sent = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, records);
    acknowledged = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, records);
  }

  int records() {
    return records;
  }

  /** Returns a new version, which is about to be sent. */
  long next(int number) {
    sent.setAtIndex(ValueLayout.JAVA_LONG, number, ++version);
    return version;
  }

  void acknowledged(long number, long version) {
    acknowledged.setAtIndex(ValueLayout.JAVA_LONG, number, version);
    acknowledgements.incrementAndGet();
  }

  void found(long number, long version) {
    if (version < acknowledged.getAtIndex(ValueLayout.JAVA_LONG, number)) {
      lost++;
    } else if (version > sent.getAtIndex(ValueLayout.JAVA_LONG, number)) {
      invented++;
    }
    // What was found was acknowledged by that: a later restart must have it, too. What was lost
    // counts once.
    acknowledged.setAtIndex(ValueLayout.JAVA_LONG, number, version);
  }

  void missed(long number) {
    lost += acknowledged.getAtIndex(ValueLayout.JAVA_LONG, number) == ABSENT ? 0 : 1;
    acknowledged.setAtIndex(ValueLayout.JAVA_LONG, number, ABSENT);
  }

  /** Returns the acknowledged overwrites since the record began. */
  public long acknowledgements() {
    return acknowledgements.get();
  }

  /** Returns the records whose newest acknowledged version was gone, and forgets them. */
  public long takeLost() {
    long taken = lost;
    lost = 0;
    return taken;
  }

  /** Returns the records with a version that was never sent, and forgets them. */
  public long takeInvented() {
    long taken = invented;
    invented = 0;
    return taken;
  }
}

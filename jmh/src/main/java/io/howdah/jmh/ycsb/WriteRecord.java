package io.howdah.jmh.ycsb;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a client has written and what the server has acknowledged, kept outside of the server, to
 * compare with what a restarted server has. The load phase is version 0 of every record; the caller
 * vouches that all of it was acknowledged. For one thread at a time, but for the count of
 * acknowledgements, which any thread may ask for.
 */
public final class WriteRecord {

  /** In the place of a version: the record was found to be lost. */
  private static final long ABSENT = -1;

  private final long[] sent;
  private final long[] acknowledged;
  private long version;
  private final AtomicLong acknowledgements = new AtomicLong();
  private long lost;
  private long invented;

  /** Creates one for the records of a load. */
  public WriteRecord(int records) {
    sent = new long[records];
    acknowledged = new long[records];
  }

  int records() {
    return sent.length;
  }

  /** Returns a new version, which is about to be sent. */
  long next(int number) {
    sent[number] = ++version;
    return version;
  }

  void acknowledged(long number, long version) {
    acknowledged[Math.toIntExact(number)] = version;
    acknowledgements.incrementAndGet();
  }

  void found(long number, long version) {
    int at = Math.toIntExact(number);
    if (version < acknowledged[at]) {
      lost++;
    } else if (version > sent[at]) {
      invented++;
    }
    // What was found was acknowledged by that: a later restart must have it, too. What was lost
    // counts once.
    acknowledged[at] = version;
  }

  void missed(long number) {
    int at = Math.toIntExact(number);
    lost += acknowledged[at] == ABSENT ? 0 : 1;
    acknowledged[at] = ABSENT;
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

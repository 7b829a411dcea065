package io.howdah.crashtest.history;

import java.util.HashMap;
import java.util.Map;

/**
 * One execution of a transaction's body: what it read before it wrote it, and what it would leave.
 * Every value is written once in a history, so a value tells its writer. For one thread.
 */
final class Recorded {

  /** Highest LSN that had been returned to anybody before the body began. */
  final long returnedBefore;

  /** A moment before the attempt began, of {@link System#nanoTime}. */
  final long begun;

  private final Map<Integer, Long> reads = new HashMap<>();
  private final Map<Integer, Long> writes = new HashMap<>();
  private long ended;
  private boolean returned;
  private long lsn;

  Recorded(long returnedBefore, long begun) {
    this.returnedBefore = returnedBefore;
    this.begun = begun;
    this.ended = begun;
  }

  /** Notes a value that was read; of a word that the body has written, nothing. */
  void read(int word, long value) {
    if (!writes.containsKey(word)) {
      reads.putIfAbsent(word, value);
    }
  }

  void wrote(int word, long value) {
    writes.put(word, value);
  }

  /** Returns what was written until now, to go back to. */
  Map<Integer, Long> mark() {
    return new HashMap<>(writes);
  }

  /** Notes that the body went back to a savepoint. */
  void rolledBack(Map<Integer, Long> mark) {
    writes.clear();
    writes.putAll(mark);
  }

  /** Notes a moment after the last read. */
  void ended(long moment) {
    ended = moment;
  }

  /** Notes that the transaction returned: this attempt is the one that counts. */
  void returned(long moment) {
    ended = moment;
    returned = true;
  }

  /** Notes the LSN of the commit. */
  void committed(long value) {
    lsn = value;
  }

  Map<Integer, Long> reads() {
    return reads;
  }

  Map<Integer, Long> writes() {
    return writes;
  }

  long ended() {
    return ended;
  }

  /** Returns whether it is not given up. */
  boolean hasReturned() {
    return returned;
  }

  long lsn() {
    return lsn;
  }

  /** Returns whether it changed anything. */
  boolean isWriter() {
    return lsn != 0 && !writes.isEmpty();
  }

  @Override
  public String toString() {
    return (lsn == 0 ? "an attempt given up" : "the transaction with LSN " + lsn)
        + " that began after "
        + returnedBefore
        + ", read "
        + reads
        + " and wrote "
        + writes;
  }
}

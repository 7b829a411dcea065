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

  private final Map<Integer, Long> reads = new HashMap<>();
  private final Map<Integer, Long> writes = new HashMap<>();
  private long lsn;

  Recorded(long returnedBefore) {
    this.returnedBefore = returnedBefore;
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

package io.howdah.crashtest.oracle;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * One transaction as its body saw it: which transaction's value it found in each cell it read, and
 * which cells it wrote. Filled by one thread; a body that runs again starts over.
 */
public final class Attempt {

  /** How far a transaction had come when the crash happened. */
  public enum Progress {
    /** Its commit was under way, or it was never begun: it may have happened or not. */
    UNKNOWN,
    /** Its commit had returned: it survives a kill. */
    RETURNED,
    /** It was acknowledged as durable: it survives a power cut. */
    DURABLE,
    /** The store said that it did not happen. */
    REFUSED
  }

  private final long id;
  private final Map<Integer, Long> reads = new LinkedHashMap<>();
  private final Set<Integer> writes = new LinkedHashSet<>();
  private final boolean readOnly;
  private volatile Progress progress = Progress.UNKNOWN;
  private volatile long lsn;

  Attempt(long id, boolean readOnly) {
    this.id = id;
    this.readOnly = readOnly;
  }

  /** Returns the transaction's number, which it writes into every cell it writes. */
  public long id() {
    return id;
  }

  /** Forgets what an earlier run of the body did. */
  public void restart() {
    reads.clear();
    writes.clear();
  }

  /** Notes what a cell held; only the first read counts, before own writes. */
  public void read(int cell, long writer) {
    if (!writes.contains(cell)) {
      reads.putIfAbsent(cell, writer);
    }
  }

  /** Notes that a cell was written. */
  public void wrote(int cell) {
    writes.add(cell);
  }

  /** Notes that the commit returned, with its LSN. */
  public void returned(long value) {
    lsn = value;
    progress = Progress.RETURNED;
  }

  /** Notes that the commit was acknowledged as durable. */
  public void durable(long value) {
    lsn = value;
    progress = Progress.DURABLE;
  }

  /** Notes that the store refused the transaction, so that it did not happen. */
  public void refused() {
    progress = Progress.REFUSED;
  }

  Progress progress() {
    return progress;
  }

  /** Returns the LSN, 0 if the commit never returned. */
  long lsn() {
    return lsn;
  }

  Map<Integer, Long> reads() {
    return reads;
  }

  boolean isWriterOf(int cell) {
    return writes.contains(cell);
  }

  /** Returns whether it wrote nothing, its mark included. */
  public boolean isReadOnly() {
    return readOnly;
  }

  @Override
  public String toString() {
    return "T"
        + id
        + "{lsn="
        + lsn
        + ", "
        + progress
        + ", reads="
        + reads
        + ", writes="
        + writes
        + "}";
  }
}

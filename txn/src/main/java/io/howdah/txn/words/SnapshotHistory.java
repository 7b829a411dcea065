package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.txn.SnapshotLostException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Keeps the former values of overwritten words while snapshots are open. A reader of many words
 * then neither conflicts with writers nor blocks them. While no snapshot is open, a commit only
 * reads a flag.
 *
 * <p>Keeps at most {@value #MAX_WORDS} words, 33 MiB. A word that is overwritten repeatedly is kept
 * once for each snapshot opened in between. A reader that needs a word which is no longer kept gets
 * {@link SnapshotLostException}; no writer waits for readers. When the last snapshot is closed, the
 * history becomes empty.
 *
 * <p>Thread-safe. The words are distributed over stripes, each with a lock. A thread holds the lock
 * while it adds or finds one word, and never while it reads the region.
 */
public final class SnapshotHistory {

  /** Maximum number of words that are kept. */
  public static final int MAX_WORDS = 1 << 20;

  static final int STRIPES = 16;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final HistoryStripe[] stripes = new HistoryStripe[STRIPES];

  /** Number of open snapshots. A commit reads it after it has taken its LSN. */
  private final AtomicInteger open = new AtomicInteger();

  /** Number of snapshots that are being opened, whose LSN is not known yet. */
  private final AtomicInteger opening = new AtomicInteger();

  /** LSN of the newest open snapshot. A snapshot that is being opened may be newer. */
  private final AtomicLong newest = new AtomicLong();

  SnapshotHistory() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new HistoryStripe();
    }
  }

  /**
   * Opens a snapshot of the present state.
   *
   * @return the snapshot's LSN. It includes all commits up to this LSN, and later commits keep the
   *     words that they overwrite
   */
  public long open(LongSupplier clock) {
    opening.getAndIncrement();
    synchronized (this) {
      open.getAndIncrement();
    }
    // A commit whose LSN is larger than this clock value took it after the volatile writes of
    // `opening` and `open` above. So record() and isOpen() in that commit see that a snapshot is
    // open, and see either `opening` or the updated `newest`.
    long snapshot = clock.getAsLong();
    newest.accumulateAndGet(snapshot, Math::max);
    opening.getAndDecrement();
    return snapshot;
  }

  public synchronized void close() {
    if (open.decrementAndGet() == 0) {
      for (HistoryStripe stripe : stripes) {
        stripe.clear();
      }
    }
  }

  /** Returns whether a commit has to record the words that it overwrites. */
  public boolean isOpen() {
    return open.get() != 0;
  }

  /**
   * Records the words that a commit is about to overwrite. The commit has locked their orecs, so no
   * reader searches the history for one of them before all are recorded. Throws nothing.
   */
  public void record(WriteSet writes, NodeWrites nodes, Region region, long lsn) {
    // `opening` is read before `newest`: open() updates `newest` before it decrements `opening`.
    boolean known = opening.get() == 0;
    long newestOpen = known ? newest.get() : Long.MAX_VALUE;
    for (int i = 0, n = writes.singles(); i < n; i++) {
      record(writes.address(i), region, lsn, newestOpen);
    }
    WrittenRows rows = writes.rows();
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      for (long a = rows.address(row), end = rows.endAddress(row); a < end; a += Long.BYTES) {
        record(a, region, lsn, newestOpen);
      }
    }
    for (int row = 0; row < nodes.end(); row = nodes.next(row)) {
      // A word that several rows write is kept once or twice, with the same former value.
      for (long a = nodes.rowAddress(row), end = nodes.rowEndAddress(row);
          a < end;
          a += Long.BYTES) {
        record(a, region, lsn, newestOpen);
      }
    }
  }

  private void record(long address, Region region, long lsn, long newestOpen) {
    long former = region.getLongOpaque(address);
    long hash = address * MULTIPLIER;
    stripe(hash).add(address, hash, lsn, former, newestOpen);
  }

  /**
   * Returns the value of a word in a snapshot.
   *
   * @param current the word's present value, or its value after any commit later than the snapshot
   * @throws SnapshotLostException if the history no longer keeps the value
   */
  public long value(long address, long snapshot, long current) {
    long hash = address * MULTIPLIER;
    return stripe(hash).value(address, hash, snapshot, current);
  }

  private HistoryStripe stripe(long hash) {
    return stripes[(int) (hash >>> 60)];
  }
}

package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.txn.SnapshotLostException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Keeps what words held before they were overwritten, while long readers may need it. So a reader
 * of many words neither loses against writers nor stops them. While there is no such reader, a
 * commit only reads a flag.
 *
 * <p>Holds at most {@value #MAX_WORDS} words, 33 MiB. A word that is overwritten repeatedly is kept
 * once for each reader that began in between. A reader that needs a word which is no longer kept
 * gets {@link SnapshotLostException}; no writer waits for readers. The history is empty when the
 * last reader has ended.
 *
 * <p>Thread-safe. Words are spread over stripes with a lock each, held to add one word or to look
 * one up, and never while a word of the region is read.
 */
public final class SnapshotHistory {

  /** Maximum number of words that are kept. */
  public static final int MAX_WORDS = 1 << 20;

  static final int STRIPES = 16;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final HistoryStripe[] stripes = new HistoryStripe[STRIPES];

  /** Number of open snapshots. A committer looks at it after it has taken its LSN. */
  private final AtomicInteger open = new AtomicInteger();

  /** Number of snapshots that are being opened, whose LSN is not known yet. */
  private final AtomicInteger opening = new AtomicInteger();

  /** LSN of the newest open snapshot; those being opened may be newer. */
  private final AtomicLong newest = new AtomicLong();

  SnapshotHistory() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new HistoryStripe();
    }
  }

  /**
   * Opens a snapshot of the present.
   *
   * @return its LSN: all commits up to it are seen, and what later ones overwrite is kept
   */
  public long open(LongSupplier clock) {
    opening.getAndIncrement();
    synchronized (this) {
      open.getAndIncrement();
    }
    // A commit with a later LSN than the clock shows took it after these volatile writes, so it
    // sees the flag, and either that a snapshot is being opened or how new it is.
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

  /** Returns whether a commit has to record what it overwrites. */
  public boolean isOpen() {
    return open.get() != 0;
  }

  /**
   * Records what a commit is about to overwrite. Its orecs are locked, so no reader looks for any
   * of these words before all of them are recorded. Throws nothing.
   */
  public void record(WriteSet writes, Region region, long lsn) {
    // In this order: a snapshot that is no longer being opened has updated the newest LSN.
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
  }

  private void record(long address, Region region, long lsn, long newestOpen) {
    long former = region.getLongOpaque(address);
    long hash = address * MULTIPLIER;
    stripe(hash).add(address, hash, lsn, former, newestOpen);
  }

  /**
   * Returns what a word held in a snapshot.
   *
   * @param current what it holds now, or held when a later commit than the snapshot had written it
   * @throws SnapshotLostException if that is no longer known
   */
  public long value(long address, long snapshot, long current) {
    long hash = address * MULTIPLIER;
    return stripe(hash).value(address, hash, snapshot, current);
  }

  private HistoryStripe stripe(long hash) {
    return stripes[(int) (hash >>> 60)];
  }
}

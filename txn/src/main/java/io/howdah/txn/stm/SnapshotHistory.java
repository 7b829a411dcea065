package io.howdah.txn.stm;

import io.howdah.core.Region;
import io.howdah.txn.SnapshotLostException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What words held before they were overwritten, for as long as a long reader may ask: so readers of
 * many words neither lose against writers nor stop them. While nobody reads that way, a commit pays
 * one look at a flag.
 *
 * <p>Holds {@value #MAX_WORDS} words, 33 MiB, a word that is overwritten again and again only once
 * for each reader that began meanwhile. A reader for whom that is not enough gets {@link
 * SnapshotLostException}, and nobody waits for it. Empty when the last reader has gone.
 *
 * <p>Thread-safe. Words are spread over stripes with a lock each, held to add one word or to look
 * one up, and never while a word of the region is read.
 */
final class SnapshotHistory {

  /** Most words that are kept. */
  static final int MAX_WORDS = 1 << 20;

  static final int STRIPES = 16;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final HistoryStripe[] stripes = new HistoryStripe[STRIPES];

  /** Number of open snapshots. A committer looks at it after it has taken its LSN. */
  private final AtomicInteger open = new AtomicInteger();

  /** Snapshots that are being opened, whose LSN nobody knows yet. */
  private final AtomicInteger opening = new AtomicInteger();

  /** No open snapshot is newer, but for those being opened. */
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
  long open(LongSupplier clock) {
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

  synchronized void close() {
    if (open.decrementAndGet() == 0) {
      for (HistoryStripe stripe : stripes) {
        stripe.clear();
      }
    }
  }

  /** Returns whether a commit has to record what it overwrites. */
  boolean isOpen() {
    return open.get() != 0;
  }

  /**
   * Records what a commit is about to overwrite; its orecs are locked, so nobody looks for any of
   * it before all of it is here. Throws nothing.
   */
  void record(WriteSet writes, Region region, long lsn) {
    // In this order: whoever is not being opened any more has said how new it is.
    boolean known = opening.get() == 0;
    long newestOpen = known ? newest.get() : Long.MAX_VALUE;
    for (int i = 0, n = writes.count(); i < n; i++) {
      long address = writes.address(i);
      long former = region.getLongOpaque(address);
      long hash = address * MULTIPLIER;
      stripe(hash).add(address, hash, lsn, former, newestOpen);
    }
  }

  /**
   * Returns what a word held in a snapshot.
   *
   * @param current what it holds now, or held when a later commit than the snapshot had written it
   * @throws SnapshotLostException if that is no longer known
   */
  long value(long address, long snapshot, long current) {
    long hash = address * MULTIPLIER;
    return stripe(hash).value(address, hash, snapshot, current);
  }

  private HistoryStripe stripe(long hash) {
    return stripes[(int) (hash >>> 60)];
  }
}

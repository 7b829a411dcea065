package io.howdah.replica.log;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.layout.BatchLayout;

/**
 * Decides which entries of the log count. It is a function of the entries alone, so all nodes
 * decide alike, whichever node they take for the leader (docs/protocol.md, R71). Used by one
 * thread.
 *
 * <p>An entry that does not count is <em>void</em>: it was proposed by a leader that did not know
 * the end of the log, or it was handed over before.
 */
public final class Chain {

  private final long storeTag;
  private ChainEnd end;

  /** Creates an empty chain. */
  public Chain(StoreId store) {
    this(store, ChainEnd.START);
  }

  /** Creates a chain that continues behind an end. */
  public Chain(StoreId store, ChainEnd end) {
    this.end = end;
    this.storeTag = BatchLayout.storeTag(store.high(), store.low());
  }

  /** Returns the end of the entries that count. */
  public ChainEnd end() {
    return end;
  }

  /**
   * Adds an entry, and returns whether it counts.
   *
   * @param place of the entry, for errors
   * @throws CorruptStoreException if the entry belongs to the present epoch and does not continue
   *     it: the log is not what was proposed
   */
  public boolean add(Entry entry, String place) {
    return switch (entry) {
      case Entry.Epoch epoch -> begin(epoch);
      case Entry.Batch batch -> isOfPresentEpoch(batch) && append(batch, place);
      case Entry.Barrier barrier -> isOfPresentEpoch(barrier);
    };
  }

  private boolean isOfPresentEpoch(Entry entry) {
    return entry.epoch() == end.epoch() && entry.nonce() == end.nonce();
  }

  private boolean begin(Entry.Epoch epoch) {
    if (!epoch.previous().equals(end) || epoch.epoch() != end.epoch() + 1) {
      return false;
    }
    end =
        new ChainEnd(
            epoch.epoch(),
            epoch.nonce(),
            0,
            BatchLayout.firstPreviousCrc(storeTag, epoch.epoch()),
            end.cut());
    return true;
  }

  private boolean append(Entry.Batch batch, String place) {
    if (batch.sequence() <= end.sequence()) {
      return false; // handed over before
    }
    if (batch.sequence() != end.sequence() + 1
        || batch.previousCrc() != end.crc()
        || batch.cut() < end.cut()) {
      throw new CorruptStoreException(
          place,
          -1,
          "batch "
              + batch.sequence()
              + " with cut "
              + batch.cut()
              + " does not continue the log at "
              + end);
    }
    end = new ChainEnd(end.epoch(), end.nonce(), batch.sequence(), batch.crc(), batch.cut());
    return true;
  }
}

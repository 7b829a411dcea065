package io.howdah.collections.journal;

import io.howdah.collections.changes.BatchListener;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangeListener;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.changes.Subscription;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.util.List;
import java.util.Objects;

/** The changes in a journal, for programs. Thread-safe. */
public final class JournalChanges<K, V> implements Changes<K, V> {

  private final StoredJournal journal;
  private final Deliveries deliveries;
  private final MapAccess map;
  private final ChangeCodec<K, V> codec;

  public JournalChanges(
      StoredJournal journal, Deliveries deliveries, MapAccess map, ChangeCodec<K, V> codec) {
    this.journal = journal;
    this.deliveries = deliveries;
    this.map = map;
    this.codec = codec;
  }

  @Override
  public long newest(Tx tx) {
    return journal.newest(map.words(tx));
  }

  @Override
  public long oldest(Tx tx) {
    return journal.oldest(map.words(tx));
  }

  @Override
  public List<Change<K, V>> after(Tx tx, long position, int max) {
    return journal.after(map.words(tx), position, max, codec);
  }

  @Override
  public Subscription subscribe(long position, ChangeListener<K, V> listener) {
    return subscribe(position, Durability.SYNC, listener);
  }

  @Override
  public Subscription subscribe(long position, Durability survived, ChangeListener<K, V> listener) {
    Objects.requireNonNull(listener, "listener");
    return start(position, survived, 1, batch -> listener.changed(batch.getFirst()));
  }

  @Override
  public Subscription subscribeBatches(
      long position, Durability survived, int max, BatchListener<K, V> listener) {
    Objects.requireNonNull(listener, "listener");
    if (max < 1) {
      throw new IllegalArgumentException("a batch has at least 1 change, not " + max);
    }
    return start(position, survived, max, listener);
  }

  private Subscription start(
      long position, Durability survived, int maxBatch, BatchListener<K, V> listener) {
    Objects.requireNonNull(survived, "survived");
    deliveries
        .transactions()
        .read(
            tx -> {
              journal.requirePosition(map.words(tx), position);
              return true;
            });
    return deliveries.add(new Delivery<>(deliveries, this, position, survived, maxBatch, listener));
  }

  @Override
  public void release(Tx tx, long position) {
    journal.release(map.words(tx), position);
  }

  @Override
  public long released(Tx tx) {
    return journal.released(map.words(tx));
  }

  /** Returns the address of the word with the newest position. */
  long newestAddress() {
    return journal.newestAddress();
  }

  /** Returns whether something thrown says that no change can be read here any more. */
  boolean isGone(Throwable thrown) {
    return map.isGone(thrown);
  }

  @Override
  public String toString() {
    return journal.toString();
  }
}

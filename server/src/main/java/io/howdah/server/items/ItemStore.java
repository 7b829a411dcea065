package io.howdah.server.items;

import io.howdah.Receipt;
import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.core.RegionFullException;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * All items of a server, in a store that the caller opens and closes. The items are a map; a sorted
 * map of the keys beside it is what eviction and reclaim go through, a few keys at a time, so they
 * start at once after any restart.
 *
 * <p>Every item has a birth, a number that grows. A flush notes a number above all births until
 * then, and items below it are gone. A writer draws its birth before it reads the mark of the
 * flush, and the flush sets the mark before it lets higher births be drawn: so a writer whose item
 * survives the flush saw the flush, and does not build on an item that the flush took.
 *
 * <p>Thread-safe. A connection has a view of its own: {@link #connect}.
 */
public final class ItemStore {

  private static final String FLUSHED = "flushed";
  private static final String FLUSH_AT = "flush at";

  /** How far a flush skips ahead of the births that are being drawn. */
  private static final long FLUSH_GAP = 1 << 10;

  private static final int RECENCY_SLOTS = 1 << 18;

  /** How many items one command evicts at most when memory is short. */
  private static final int MAX_EVICTIONS = 8;

  /** How many keys in use are passed over before one is evicted nevertheless. */
  private static final int MAX_PASSED = 1 << 10;

  private static final int MAX_ROUNDS = 64;
  private static final byte KEY = 0;
  private static final TxOptions WRITES = TxOptions.async();

  /** A read in another mode would wait for the disk, within the event loop. */
  static final TxOptions READS = TxOptions.async().withReadOnly();

  private final Store store;
  private final ItemStoreOptions options;
  private final PersistentMap<byte[], StoredItem> items;
  private final PersistentSortedMap<byte[], Byte> keys;
  private final PersistentMap<String, Long> state;
  private final PersistentCounter persistentBytes;
  private final Numbering numbers;
  private final Recency recency;
  private final Sweep sweep;
  private final AtomicLong bytes;
  private final AtomicLong evictions = new AtomicLong();
  private final AtomicLong reclaimed = new AtomicLong();

  /** Items of a lower birth are gone. */
  private volatile long flushed;

  /** When all items then present go; 0 for no such time. */
  private volatile long flushAt;

  /** Opens the items of a store, or makes place for them. */
  public ItemStore(Store store, ItemStoreOptions options) {
    this.store = store;
    this.options = options;
    items = store.map("server.items", Codec.bytes(), StoredItem.CODEC);
    keys = store.sortedMap("server.keys", Codec.bytes(), Codec.int8());
    state = store.map("server.state", Codec.utf8(), Codec.int64());
    persistentBytes = store.counter("server.bytes");
    numbers = new Numbering(store, state);
    recency = new Recency(RECENCY_SLOTS, options.clock().getAsLong());
    bytes = new AtomicLong(store.read(persistentBytes::get));
    flushed = stored(FLUSHED);
    flushAt = stored(FLUSH_AT);
    sweep = new Sweep(store, keys);
  }

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  private long stored(String name) {
    Long number = store.read(tx -> state.get(tx, name));
    return number == null ? 0 : number;
  }

  /** Returns the items as one connection sees them. */
  public ConnectionCache connect() {
    return new ConnectionCache(this);
  }

  long now() {
    return options.clock().getAsLong();
  }

  Recency recency() {
    return recency;
  }

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  @Nullable Item get(byte[] key, ConnectionCache reader) {
    long now = now();
    flushIfDue(now);
    StoredItem found;
    if (options.readsWait()) {
      Receipt<@Nullable StoredItem> receipt =
          store.callWithReceipt(READS, tx -> items.get(tx, key));
      reader.restsOn(receipt.lsn());
      found = receipt.value();
    } else {
      found = read(key);
    }
    return live(found, now);
  }

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  private @Nullable StoredItem read(byte[] key) {
    return store.read(READS, tx -> items.get(tx, key));
  }

  private @Nullable Item live(@Nullable StoredItem found, long now) {
    return found == null || found.birth() < flushed || found.item().isExpired(now)
        ? null
        : found.item();
  }

  @Nullable Item update(byte[] key, ItemUpdate update, ConnectionCache writer) {
    for (int round = 0; ; round++) {
      try {
        Change change = attempt(key, update, writer);
        if (change.isWritten && change.result != null) {
          recency.stored(key, now());
        }
        if (options.evicts()) {
          evict(0, MAX_EVICTIONS);
        }
        return change.result;
      } catch (RegionFullException e) {
        if (!options.evicts() || round == MAX_ROUNDS || !evict(Long.MAX_VALUE, MAX_EVICTIONS)) {
          throw new CacheFullException(String.valueOf(e.getMessage()));
        }
      }
    }
  }

  /** What one transaction does to the item under a key. */
  private static final class Change {
    @Nullable Item result;
    boolean isWritten;
    long bytes;
  }

  private Change attempt(byte[] key, ItemUpdate update, ConnectionCache writer) {
    long now = now();
    flushIfDue(now);
    long number = numbers.draw();
    Receipt<Change> receipt =
        store.callWithReceipt(WRITES, tx -> change(tx, key, update, now, number));
    writer.restsOn(receipt.lsn());
    Change change = receipt.value();
    bytes.addAndGet(change.bytes);
    return change;
  }

  private Change change(Tx tx, byte[] key, ItemUpdate update, long now, long number) {
    Change change = new Change();
    StoredItem old = items.get(tx, key);
    Item current = live(old, now);
    Item item = update.apply(current);
    change.result = item;
    if (item == current && (item != null || old == null)) {
      return change;
    }
    if (item == null || item.isExpired(now)) {
      remove(tx, key, old, change);
    }
    if (item != null) {
      Item numbered = item.cas() == Item.NEW_CAS ? item.withCas(number) : item;
      change.result = numbered;
      if (!item.isExpired(now)) {
        put(tx, key, old, new StoredItem(numbered, number), change);
      }
    }
    return change;
  }

  private void put(Tx tx, byte[] key, @Nullable StoredItem old, StoredItem item, Change change) {
    change.bytes = StoredItem.bytes(key, item) - (old == null ? 0 : StoredItem.bytes(key, old));
    if (change.bytes > 0 && !options.evicts() && bytes.get() + change.bytes > options.maxBytes()) {
      throw new CacheFullException("the items take " + bytes + " of " + options.maxBytes());
    }
    items.put(tx, key, item);
    if (old == null) {
      keys.put(tx, key, KEY);
    }
    if (change.bytes != 0) {
      persistentBytes.add(tx, change.bytes);
    }
    change.isWritten = true;
  }

  private void remove(Tx tx, byte[] key, @Nullable StoredItem old, Change change) {
    if (old != null) {
      items.remove(tx, key);
      keys.remove(tx, key);
      change.bytes = -StoredItem.bytes(key, old);
      persistentBytes.add(tx, change.bytes);
    }
  }

  /** Invalidates all items at a time, at once if that is not in the future. */
  void flush(long at, ConnectionCache writer) {
    if (at > now()) {
      synchronized (this) {
        writer.restsOn(store.run(WRITES, tx -> state.put(tx, FLUSH_AT, at)));
        flushAt = at;
      }
    } else {
      writer.restsOn(flushNow());
    }
  }

  private synchronized long flushNow() {
    long mark = numbers.ahead(FLUSH_GAP);
    flushed = mark;
    long lsn =
        store.run(
            WRITES,
            tx -> {
              numbers.skipTo(tx, mark);
              state.put(tx, FLUSHED, mark);
              state.remove(tx, FLUSH_AT);
            });
    numbers.skipped(mark);
    flushAt = 0;
    return lsn;
  }

  private void flushIfDue(long now) {
    long at = flushAt;
    if (at != 0 && at <= now) {
      synchronized (this) {
        if (flushAt == at) {
          flushNow();
        }
      }
    }
  }

  /**
   * Evicts items that were not used since the sweep last came by, until the limit is kept.
   *
   * @param wanted bytes to free even if the limit is kept
   * @return whether there was an item to evict
   */
  private boolean evict(long wanted, int most) {
    boolean found = false;
    long freed = 0;
    for (int i = 0; i < most && (bytes.get() > options.maxBytes() || freed < wanted); i++) {
      byte[] key = victim();
      if (key == null) {
        return found;
      }
      freed -= removeIf(key, true, evictions);
      found = true;
    }
    return found;
  }

  private byte @Nullable [] victim() {
    byte[] key = sweep.next();
    for (int i = 0; i < MAX_PASSED && key != null && recency.takeReference(key); i++) {
      key = sweep.next();
    }
    return key;
  }

  /** Removes an item, in any case or if it is gone already, and returns the change of bytes. */
  private long removeIf(byte[] key, boolean always, AtomicLong count) {
    long now = now();
    Change change =
        store.call(
            WRITES,
            tx -> {
              Change removal = new Change();
              StoredItem old = items.get(tx, key);
              if (old != null && (always || live(old, now) == null)) {
                remove(tx, key, old, removal);
              }
              return removal;
            });
    if (change.bytes != 0) {
      bytes.addAndGet(change.bytes);
      count.incrementAndGet();
    }
    return change.bytes;
  }

  /**
   * Removes items that have expired or were flushed, among the next keys of a sweep through all.
   * Reserves numbers ahead, too. For a thread in the background.
   *
   * @param sweep where the last call ended
   * @param most how many keys it looks at
   */
  public void reclaim(Sweep sweep, int most) {
    long now = now();
    flushIfDue(now);
    numbers.reserve();
    List<byte[]> gone = new ArrayList<>();
    for (byte[] key : sweep.next(most)) {
      if (live(read(key), now) == null) {
        gone.add(key);
      }
    }
    gone.forEach(key -> removeIf(key, false, reclaimed));
  }

  /** Returns a new way through all keys. */
  public Sweep sweep() {
    return new Sweep(store, keys);
  }

  /** Returns the number of items, gone ones that were not reclaimed yet included. */
  public long size() {
    return store.read(READS, items::size);
  }

  /** Returns what the items take of {@link ItemStoreOptions#maxBytes}. */
  public long bytes() {
    return bytes.get();
  }

  void statistics(BiConsumer<String, String> row) {
    row.accept("curr_items", Long.toString(size()));
    row.accept("bytes", Long.toString(bytes()));
    row.accept("limit_maxbytes", Long.toString(options.maxBytes()));
    row.accept("evictions", evictions.toString());
    row.accept("reclaimed", reclaimed.toString());
    row.accept("howdah_stable_lsn", Long.toString(store.durability().stableLsn()));
    row.accept("howdah_lsn", Long.toString(store.admin().stats().lsn()));
  }
}

package io.howdah.server.items;

import io.howdah.DurableScope;
import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentMap;
import io.howdah.core.LogFullException;
import io.howdah.core.RegionFullException;
import io.howdah.core.UnavailablePageException;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.cache.LargeValue;
import io.howdah.server.cache.ServerRow;
import io.howdah.server.watch.ConnectionEvents;
import io.howdah.server.watch.ConnectionEvents.Found;
import io.howdah.server.watch.EventKind;
import io.howdah.server.watch.Watchers;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * All items of a server, in a store that the caller opens and closes. They are one map. Eviction
 * and reclaim walk through it, a few items at a time, so they start at once after any restart.
 *
 * <p>What every command needs is in memory that no other command writes: the numbers of CAS values
 * ({@link Numbering}), the bytes of all items (a {@link LongAdder}), the recency of a key. So
 * commands on different items run beside each other.
 *
 * <p>Thread-safe. A connection has a view of its own: {@link #connect}.
 */
public final class ItemStore {

  /** How many items one command evicts at most when memory is short. */
  private static final int MAX_EVICTIONS = 8;

  /** How often one command looks for room in a full region. */
  private static final int MAX_ROUNDS = 64;

  /** How many items one command evicts at most in a later round, in a full region. */
  private static final int MAX_ROUND_EVICTIONS = 1 << 6;

  /** About what the smallest item takes. */
  private static final int MIN_ITEM_BYTES = 64;

  /** How many steps a turn in the background makes at most while the limit is near. */
  private static final int MAX_STEPS = 16;

  /** The limit is near while no more than this part of the memory is free: an eighth. */
  private static final int FREE_SHARE = 8;

  /** How many items one command or turn in the background evicts at most to keep the limit. */
  private static final int MAX_TURN_EVICTIONS = 1 << 12;

  private final Store store;
  private final ItemStoreOptions options;
  private final PersistentMap<byte[], StoredItem> items;
  private final PersistentMap<byte[], StoredItem.Header> headers;
  private final PersistentMap<byte[], StoredItem.Facts> facts;
  private final PersistentCounter persistentBytes;
  private final Numbering numbers;
  private final FlushMark flushMark;
  private final LogRoom logRoom;
  private final LargeValues values;
  private final Recency recency;
  private final Eviction eviction;
  private final Watchers watchers;

  /** What all items may take. */
  private volatile long maxBytes;

  private final LongAdder getExpired = new LongAdder();
  private final LongAdder getFlushed = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * Opens the items of a store, or makes place for them.
   *
   * @throws ItemLayoutException if another version of the server wrote the items
   */
  public ItemStore(Store store, ItemStoreOptions options) {
    this(store, options, new Watchers());
  }

  /**
   * Opens the items of a store, or makes place for them.
   *
   * @param watchers are told of what is evicted
   * @throws ItemLayoutException if another version of the server wrote the items
   */
  public ItemStore(Store store, ItemStoreOptions options, Watchers watchers) {
    this(store, options, Numbering.RANGE, LargeValues.CHUNK_BYTES, watchers);
  }

  /** For tests: reserves fewer numbers at once, and has smaller chunks. */
  ItemStore(Store store, ItemStoreOptions options, long range, int chunkBytes) {
    this(store, options, range, chunkBytes, new Watchers());
  }

  private ItemStore(
      Store store, ItemStoreOptions options, long range, int chunkBytes, Watchers watchers) {
    this.store = store;
    this.watchers = watchers;
    this.options = options;
    this.maxBytes = options.maxBytes();
    ServerState state = new ServerState(store);
    items = store.map("server.items", Codec.bytes(), StoredItem.CODEC);
    headers = store.map("server.items", Codec.bytes(), StoredItem.HEADER_CODEC);
    facts = store.map("server.items", Codec.bytes(), StoredItem.FACTS_CODEC);
    persistentBytes = store.counter("server.bytes");
    bytes.add(store.read(ItemTransactions.READS, persistentBytes::get));
    numbers = new Numbering(store, state, range);
    logRoom = new LogRoom(store, options.clock());
    values = new LargeValues(store, logRoom, chunkBytes, options.maxReadBytes());
    flushMark = new FlushMark(store, state, numbers);
    recency = new Recency(Recency.slotsFor(options.maxBytes()), options.clock().getAsLong());
    eviction = new Eviction(this, recency);
  }

  /** Returns the items as one connection sees them. */
  public ConnectionCache connect() {
    return connect(watchers.connection(0));
  }

  /**
   * Returns the items as one connection sees them.
   *
   * @param events tells watchers what the connection does
   */
  public ConnectionCache connect(ConnectionEvents events) {
    Durability awaited = options.awaited();
    return new ConnectionCache(
        this,
        newChange(),
        awaited == null ? null : store.durability().scope(awaited),
        options.confirmation(),
        events);
  }

  Watchers watchers() {
    return watchers;
  }

  ItemChange newChange() {
    return new ItemChange(this, items, persistentBytes);
  }

  /** Changes what all items may take. What is above it is evicted in the background. */
  public void setMaxBytes(long maxBytes) {
    this.maxBytes = Math.max(maxBytes, ItemStoreOptions.MIN_BYTES);
  }

  /** Returns what all items may take. */
  public long maxBytes() {
    return maxBytes;
  }

  long now() {
    return options.clock().getAsLong();
  }

  /** Returns the mark of the last flush: items of a lower birth are gone. */
  long mark() {
    return flushMark.mark();
  }

  /** Returns the mark for a command that only reads: a flush that is due takes all items. */
  long markAt(long now) {
    return flushMark.markAt(now);
  }

  LogRoom logRoom() {
    return logRoom;
  }

  /**
   * Lets a transaction whose reply waits rest on the last flush, too. Without that, what a client
   * is told of a flushed item, or stores after a flush, could survive a power cut that the flush
   * does not survive. To be called after the mark was read, which is shown once the flush has
   * committed.
   */
  void restOnFlush(Tx tx) {
    if (options.awaited() != null) {
      flushMark.restOn(tx);
    }
  }

  Numbering numbers() {
    return numbers;
  }

  LargeValues values() {
    return values;
  }

  /**
   * Returns which readers of large values have to end so that those that wait get in. Empty if
   * nobody waits, or if the first who waits will get in at its next turn. Thread-safe.
   *
   * @param candidates that may be ended, first those that go first
   */
  public List<ConnectionCache> inTheWay(List<ConnectionCache> candidates) {
    return values.inTheWay(candidates);
  }

  Recency recency() {
    return recency;
  }

  @Nullable Item get(byte[] key, ConnectionCache reader) {
    long now = now();
    long mark = flushMark.markAt(now);
    return judged(key, read(key, reader.scope()), mark, now, reader);
  }

  /** Looks for several items, in one transaction that reads. */
  FoundItems find(List<byte[]> keys, @Nullable DurableScope scope) {
    long now = now();
    FoundItems found = new FoundItems(keys, flushMark.markAt(now), now);
    TxFunction<FoundItems, RuntimeException> body =
        tx -> {
          found.begin();
          items.getEach(tx, keys, found);
          restOnFlush(tx);
          return found;
        };
    return scope == null ? store.read(ItemTransactions.READS, body) : scope.read(body);
  }

  /** Returns one of several items that were looked for, as {@link #get} does. */
  @Nullable Item get(FoundItems found, int index, ConnectionCache reader) {
    return judged(found.key(index), found.item(index), found.mark(), found.now(), reader);
  }

  /** Returns an item that was found, unless it is gone; counts that, and tells watchers. */
  private @Nullable Item judged(
      byte[] key, @Nullable StoredItem found, long mark, long now, ConnectionCache reader) {
    Item live = found == null ? null : found.live(mark, now);
    boolean isFlushed = found != null && found.birth() < mark;
    if (found != null && live == null) {
      (isFlushed ? getFlushed : getExpired).increment();
    }
    if (watchers.isWatched(EventKind.FETCHERS)) {
      tellFetched(key, found, live, isFlushed, reader);
    }
    return live;
  }

  /** Looks for an item once more for the same command. */
  @Nullable Item getAgain(byte[] key, ConnectionCache reader) {
    long now = now();
    long mark = flushMark.markAt(now);
    StoredItem found = read(key, reader.scope());
    return found == null ? null : found.live(mark, now);
  }

  private static void tellFetched(
      byte[] key,
      @Nullable StoredItem found,
      @Nullable Item live,
      boolean isFlushed,
      ConnectionCache reader) {
    Found status =
        found == null
            ? Found.NOT_FOUND
            : live != null ? Found.FOUND : isFlushed ? Found.FLUSHED : Found.EXPIRED;
    reader.events().fetched(key, status, live == null ? 0 : live.valueBytes());
  }

  /** Returns the item under a key, gone or not. */
  private @Nullable StoredItem read(Tx tx, byte[] key) {
    StoredItem found = items.get(tx, key);
    restOnFlush(tx);
    return found;
  }

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  private @Nullable StoredItem read(byte[] key, @Nullable DurableScope scope) {
    return scope == null
        ? store.read(ItemTransactions.READS, tx -> read(tx, key))
        : scope.read(tx -> read(tx, key));
  }

  @Nullable Item update(byte[] key, ItemUpdate update, ItemChange change, ConnectionCache writer) {
    long now = now();
    try { // from here on: the change may have a keeper already, which is this command's alone
      logRoom.require();
      commitFlush(() -> flushMark.flushIfDue(now, logRoom));
      change.prepare(key, update, now);
      for (int round = 0; !attempt(change, writer); round++) {
        if (!makeRoomInFullRegion(round)) {
          throw new CacheFullException("the store has no room for the item");
        }
      }
      if (change.isNewValue()) {
        recency.stored(key, now); // a touch or a mark is no use of the item
      } else if (change.isChangedInPlace()) {
        recency.changed(key, now);
      }
      if (change.isWritten() && options.evicts() && bytes() > maxBytes) {
        eviction.evict(maxBytes, 0, evictionsFor(change.addedBytes()));
      }
      StoredItem found = change.found();
      if (watchers.isWatched(EventKind.FETCHERS)) {
        boolean isFlushed = found != null && found.birth() < flushMark.mark();
        tellFetched(key, found, change.foundLive(), isFlushed, writer);
      }
    } catch (Throwable t) {
      clearAfter(t, change);
      throw t;
    }
    Item result = change.result();
    change.clear();
    return result;
  }

  /** What went wrong is told, and not that the store has stopped for that reason. */
  private static void clearAfter(Throwable thrown, ItemChange change) {
    try {
      change.clear();
    } catch (RuntimeException e) {
      thrown.addSuppressed(e);
    }
  }

  /**
   * Commits what belongs to a flush.
   *
   * @throws CacheFullException if the store has no room for that
   */
  private void commitFlush(Runnable flush) {
    try {
      flush.run();
    } catch (LogFullException e) {
      throw logRoom.refused(e);
    } catch (RegionFullException | UnavailablePageException e) {
      throw logRoom.notStored(e);
    }
  }

  /** Returns how many items make room for bytes, and some more; bounded, since it is one turn. */
  private static int evictionsFor(long bytes) {
    return (int) Math.min(MAX_EVICTIONS + bytes / MIN_ITEM_BYTES, MAX_TURN_EVICTIONS);
  }

  /** Makes a change; returns false if the store is full. */
  private boolean attempt(ItemChange change, ConnectionCache writer) {
    try {
      writer.committed(commit(change, writer.scope()));
      return true;
    } catch (RegionFullException _) {
      return false;
    } catch (UnavailablePageException e) {
      throw logRoom.notStored(e);
    } catch (LogFullException e) {
      throw logRoom.refused(e);
    }
  }

  /**
   * Makes a change, and returns its LSN.
   *
   * @param scope notes the commit, if a reply rests on it and waits
   */
  long commit(ItemChange change, @Nullable DurableScope scope) {
    long lsn;
    do {
      lsn = scope == null ? store.run(ItemTransactions.WRITES, change) : scope.run(change);
    } while (change.provide());
    if (change.addedBytes() != 0) {
      bytes.add(change.addedBytes());
    }
    LargeValue published = change.published();
    if (published != null) {
      values.published(published);
    }
    LargeValue unpublished = change.unpublished();
    if (unpublished != null) {
      values.unpublished(unpublished);
    }
    return lsn;
  }

  /** Returns whether bytes fit, or may be evicted for later. Never waits, and frees nothing. */
  boolean hasRoom(long more) {
    return options.evicts() || bytes() + more <= maxBytes;
  }

  /**
   * Makes room for bytes that do not fit, if nothing may be evicted for them: removes what is gone.
   * The search is bounded as that of {@link Eviction#reclaimFor}. Not to be called in a
   * transaction.
   *
   * @throws CacheFullException if the limit would be passed all the same
   */
  void requireRoom(long more) {
    if (!hasRoom(more) && !makeRoom(more)) {
      throw new CacheFullException("the items take " + bytes() + " of " + maxBytes);
    }
  }

  /**
   * Begins to write a large value.
   *
   * @throws CacheFullException if it never fits
   */
  ChunkWriter writer(long id, int length) {
    if (values.bytes(length) > maxBytes) {
      throw new CacheFullException(
          "the items may take " + maxBytes + " bytes, less than the value");
    }
    return new ChunkWriter(this, values, new LargeValue(id, length));
  }

  /**
   * Adds a chunk to a value that is being written, and makes room for it.
   *
   * @throws CacheFullException if there is none
   */
  void addChunk(long id, int index, byte[] chunk) {
    logRoom.require();
    long needed = LargeValues.entryBytes(chunk.length);
    if (bytes() + needed > maxBytes && !makeRoom(needed)) {
      throw new CacheFullException("there is no room for the next part of a large value");
    }
    for (int round = 0; ; round++) {
      try {
        values.add(id, index, chunk);
        return;
      } catch (RegionFullException _) {
        if (!makeRoomInFullRegion(round)) {
          throw new CacheFullException("the store has no room for a large value");
        }
      } catch (UnavailablePageException e) {
        throw logRoom.notStored(e);
      } catch (LogFullException e) {
        throw logRoom.refused(e);
      }
    }
  }

  /**
   * Frees, evicts or removes what is gone where the region is full. An evicted item leaves a block
   * of its own length; where a block of another length is needed, a whole page of blocks has to
   * become free. So the rounds after the first evict more.
   *
   * @param round how often the command has called this before
   * @return false if nothing more can be done, or the command has called this too often
   */
  private boolean makeRoomInFullRegion(int round) {
    if (round == MAX_ROUNDS) {
      return false;
    }
    int most = round == 0 ? MAX_EVICTIONS : MAX_ROUND_EVICTIONS;
    return values.freeWaiting()
        || (options.evicts()
            ? eviction.evict(maxBytes, Long.MAX_VALUE, most)
            : eviction.reclaimFor(maxBytes, Long.MAX_VALUE, most));
  }

  /**
   * Makes room for a number of bytes: frees what waits to be freed, and evicts, or if nothing may
   * be evicted removes what is gone. Returns false if there is too little room afterwards.
   */
  private boolean makeRoom(long needed) {
    long limit = maxBytes - needed;
    int most = evictionsFor(needed);
    if (options.evicts()) {
      return eviction.evict(limit, 0, most) || bytes() <= limit;
    }
    boolean _ = eviction.reclaimFor(limit, 0, most);
    return bytes() <= limit;
  }

  /**
   * Invalidates all items at a time, at once if that is not in the future.
   *
   * @throws CacheFullException if the store has no room for the commit
   */
  void flush(long at, ConnectionCache writer) {
    DurableScope scope = writer.scope();
    long now = now();
    logRoom.require();
    commitFlush(
        () ->
            writer.committed(
                at > now ? flushMark.flushAt(at, now, scope) : flushMark.flush(scope)));
  }

  /**
   * Removes items that have expired or were flushed, among the next ones of a sweep through all.
   * Reserves numbers ahead and frees large values that no item has, too. For a thread in the
   * background.
   *
   * @param sweep where the last call ended
   * @param most how many items it looks at, about; up to 16 times as many while an eighth of the
   *     memory or less is free
   */
  public void reclaim(Sweep sweep, int most) {
    flushInBackground();
    numbers.reserve();
    values.freeSome();
    eviction.reclaim(sweep, most);
    for (int i = 1; i < MAX_STEPS && bytes() >= maxBytes - maxBytes / FREE_SHARE; i++) {
      eviction.reclaim(sweep, most);
    }
    if (options.evicts() && bytes() > maxBytes) {
      eviction.evict(maxBytes, 0, MAX_TURN_EVICTIONS);
    }
  }

  private void flushInBackground() {
    try {
      commitFlush(() -> flushMark.flushIfDue(now(), logRoom));
    } catch (CacheFullException _) {
      // It stays due: readers see no items, and writers are refused as well.
    }
  }

  /** Removes items that are gone among the next ones, and returns how many it looked at. */
  int reclaimBatch(Sweep sweep) {
    flushInBackground();
    return eviction.reclaimBatch(sweep);
  }

  /**
   * Adds the next items of a walk to a queue, without their values, and returns the position of
   * those behind them; 0 at the end.
   *
   * @param position 0, or what an earlier call has returned
   * @param scope notes what was read, if a reply rests on it and waits
   */
  long walk(long position, int count, Queue<KeyWalk.Seen> seen, @Nullable DurableScope scope) {
    return scope == null
        ? store.read(ItemTransactions.READS, tx -> walk(tx, position, count, seen))
        : scope.read(tx -> walk(tx, position, count, seen));
  }

  private long walk(Tx tx, long position, int count, Queue<KeyWalk.Seen> seen) {
    seen.clear();
    restOnFlush(tx);
    return facts.walk(tx, position, count, (key, item) -> seen.add(new KeyWalk.Seen(key, item)));
  }

  /** Returns a new way through all items. Where it begins changes from start to start. */
  public Sweep sweep() {
    return new Sweep(store, headers, numbers.first() * Recency.MIX);
  }

  /** Returns a new way through all items, from the beginning on. */
  Sweep sweepFromTheBeginning() {
    return new Sweep(store, headers, 0);
  }

  /** Returns the number of items, gone ones that were not reclaimed yet included. */
  public long size() {
    return store.read(ItemTransactions.READS, items::size);
  }

  /**
   * Returns what the items take of {@link ItemStoreOptions#maxBytes}, with large values that are
   * arriving and those that are not freed yet.
   */
  public long bytes() {
    return bytes.sum() + values.pendingBytes();
  }

  void statistics(BiConsumer<String, String> row) {
    ServerRow.CURR_ITEMS.write(row, size());
    ServerRow.GET_EXPIRED.write(row, getExpired);
    ServerRow.GET_FLUSHED.write(row, getFlushed);
    ServerRow.EXPIRED_UNFETCHED.write(row, eviction.expiredUnfetched());
    ServerRow.EVICTED_UNFETCHED.write(row, eviction.evictedUnfetched());
    ServerRow.BYTES.write(row, bytes());
    ServerRow.HOWDAH_PENDING_BYTES.write(row, values.pendingBytes());
    ServerRow.HOWDAH_READ_BYTES.write(row, values.readBytes());
    ServerRow.LIMIT_MAXBYTES.write(row, maxBytes);
    ServerRow.EVICTIONS.write(row, eviction.evictions());
    ServerRow.RECLAIMED.write(row, eviction.reclaimed());
    ServerRow.CRAWLER_RECLAIMED.write(row, eviction.sweptAway());
    ServerRow.CRAWLER_ITEMS_CHECKED.write(row, eviction.checked());
    watchers.statistics(row);
  }
}

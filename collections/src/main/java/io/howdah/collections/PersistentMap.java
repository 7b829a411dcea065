package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.eviction.CachePolicy;
import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.StoredJournal;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.EntryGroup;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableCursor;
import io.howdah.collections.structure.HashTableSample;
import io.howdah.collections.structure.KeysAhead;
import io.howdah.collections.structure.StoredValue;
import io.howdah.collections.structure.TableBound;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeBuild;
import io.howdah.collections.views.ViewCalls;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent map from keys to values, in no particular order, from {@code Store.map}.
 *
 * <p>An operation takes constant time. The table grows a few buckets at a time, in small
 * transactions that follow the commit which found it too full, so no operation waits for all of it;
 * a transaction that adds more than some 4000 entries makes it grow itself. It does not shrink, but
 * what entries took is free for others. Two transactions that touch different keys rarely conflict.
 *
 * <p>Keys have up to {@value #MAX_KEY_BYTES} bytes and values up to {@value #MAX_VALUE_BYTES}, as
 * their codecs encode them; {@link EntryTooLargeException} names what is longer.
 *
 * <p>Iterators, streams and {@link #forEach} may go on while their transaction changes the map,
 * rolls back to a {@link Savepoint}, or changes anything else. A key that is in the map all the
 * while is shown exactly once; one that comes or goes meanwhile at most once, and never while it is
 * not in the map. An entry is as it was when it was come upon: {@code hasNext} looks one ahead, and
 * {@code next} returns what that has found.
 *
 * @param <K> the keys; their codec decides which are equal
 * @param <V> the values
 */
public final class PersistentMap<K, V> extends KeyedCollection<K, V> {

  static final String KIND = "map";

  /** Maximum number of buckets that a walk reads at once, beside those for its entries. */
  static final int WALKED_BUCKETS = 64;

  private final EntryCodec<K> keys;
  private final EntryCodec<V> values;
  private final HashTable table;
  private final @Nullable EntryExpiry<K, V> expiry;

  /** Keeps the bound; null of a map that has none. */
  private final @Nullable MapEviction eviction;

  PersistentMap(
      Transactions transactions,
      FoundCollection found,
      Codec<K> keys,
      Codec<V> values,
      EntryChanges<K, V> entryChanges,
      @Nullable MapExpiry expiry) {
    this(transactions, found, keys, values, entryChanges, expiry, null);
  }

  /**
   * Creates a handle.
   *
   * @param cache what all handles of a bounded map share; null for a copy and for other maps
   */
  PersistentMap(
      Transactions transactions,
      FoundCollection found,
      Codec<K> keys,
      Codec<V> values,
      EntryChanges<K, V> entryChanges,
      @Nullable MapExpiry expiry,
      @Nullable CacheState cache) {
    super(transactions, found, entryChanges, null);
    this.keys = new EntryCodec<>(keys);
    this.values = new EntryCodec<>(values);
    this.table = HashTable.of(found, keys.fixedLength(), valueLength(values, expiry));
    this.expiry = expiry == null ? null : new EntryExpiry<>(this, expiry);
    TableBound bound = table.bound();
    this.eviction = bound == null ? null : new MapEviction(this, bound, cache);
  }

  static String type(Codec<?> keys, Codec<?> values, @Nullable MapExpiry expiry) {
    String type = KIND + " of " + keys.name() + " to " + values.name();
    return expiry == null ? type : MapExpiry.expiring(type);
  }

  /** Returns the length of what the table has as values: a stamp precedes them if they expire. */
  static int valueLength(Codec<?> values, @Nullable MapExpiry expiry) {
    return MapExpiry.valueLength(values.fixedLength(), expiry);
  }

  /** Encodes the key into the scratch and returns its hash. */
  private long begin(Words words, K key) {
    encode(words, keys, key, table.beginImage(words), "key", MAX_KEY_BYTES);
    return table.endKey(words);
  }

  private long begin(Words words, K key, V value, long expiresAt) {
    long hash = begin(words, key);
    EncodingBuffer image = table.beginValue(words);
    int limit = MAX_VALUE_BYTES;
    if (expiry != null) {
      image.putLong(expiresAt);
      limit -= MapExpiry.STAMP_BYTES;
    }
    encode(words, values, value, image, "value", limit);
    table.endValue(words);
    return hash;
  }

  @Override
  public @Nullable V get(Tx tx, K key) {
    Words words = words(tx);
    long entry = table.find(words, begin(words, key));
    return entry == 0 || isPastEntry(words, entry) ? null : value(words, entry);
  }

  @Override
  @Nullable StoredValue<V> stored(Tx tx, K key) {
    Words words = words(tx);
    long entry = table.find(words, begin(words, key));
    if (entry == 0 || isPastEntry(words, entry)) {
      return null;
    }
    DecodingBuffer value = valueBytes(words, entry);
    byte[] bytes = value.peek(); // before the codec, which may use the buffer
    return new StoredValue<>(bytes, values.decode(words, value));
  }

  @Override
  public boolean containsKey(Tx tx, K key) {
    Words words = words(tx);
    long hash = begin(words, key);
    if (expiry == null) {
      return table.contains(words, hash);
    }
    long entry = table.find(words, hash);
    return entry != 0 && !isPastEntry(words, entry);
  }

  @Override
  void loadAhead(Words words, EntryGroup<K, V> group, boolean isChange) {
    if (table.isAheadUseful(words)) {
      KeysAhead ahead = CollectionScratch.of(words).encodeAhead(words, keys, group);
      table.loadAhead(words, ahead, isChange);
    }
  }

  @Override
  public void put(Tx tx, K key, V value) {
    boolean _ = isNewWhenPut(tx, key, value);
  }

  @Override
  boolean isNewWhenPut(Tx tx, K key, V value) {
    Words words = words(tx);
    return put(words, key, value, stampOfNew(words));
  }

  @Override
  boolean put(Words words, K key, V value, long expiresAt) {
    entryChanges.removePast(words, this, key, value);
    if (eviction != null) {
      entryChanges.requireChangeable(words);
    }
    long hash = begin(words, key, value, expiresAt);
    if (eviction != null) {
      eviction.loadAhead(hash);
    }
    boolean isNew =
        (eviction != null && !table.reserve(words, hash))
            ? makeRoomAndPut(words, eviction, key, value, expiresAt, hash)
            : putImage(words, key, value, hash);
    if (isNew) {
      CollectionScratch scratch = CollectionScratch.of(words);
      requireRepeatable(words, keys, key, scratch.image, table.keyOffset(), scratch.keyLength);
    }
    if (eviction != null) {
      if (isNew) {
        eviction.inserted(words, hash, table.imageWeight(words));
      } else {
        eviction.used(words, hash);
      }
    }
    return isNew;
  }

  /** Puts the image in the scratch, and returns whether its key is new. */
  private boolean putImage(Words words, K key, V value, long hash) {
    return entryChanges.isNone()
        ? table.put(words, hash)
        : entryChanges.put(words, this, key, value, hash);
  }

  /** Evicts entries and puts the image in the scratch; returns whether its key is new. */
  private boolean makeRoomAndPut(
      Words words, MapEviction eviction, K key, V value, long expiresAt, long hash) {
    do {
      long weight = table.imageWeight(words);
      MapEviction.Room room =
          weight > eviction.bound().maxBytes(words)
              ? MapEviction.Room.NONE
              : eviction.makeRoom(words, hash);
      switch (room) {
        case NONE ->
            throw words.refuse(
                new EntryTooLargeException(
                    "an entry for %s weighs %d bytes, and all of its entries may weigh %d together"
                        .formatted(this, weight, eviction.bound().maxBytes(words))));
        case TAKEN -> {
          eviction.save(words, hash);
          return true;
        }
        case MADE -> {
          // The image is still in the scratch.
        }
        case MADE_OVER_IMAGE -> {
          long _ = begin(words, key, value, expiresAt);
        }
      }
    } while (!table.reserve(words, hash));
    eviction.save(words, hash);
    return putImage(words, key, value, hash);
  }

  @Override
  boolean putEntry(Words words, long hash) {
    return table.put(words, hash);
  }

  @Override
  boolean removeEntry(Words words, long hash) {
    return table.remove(words, hash);
  }

  @Override
  void appendPut(Words words, StoredJournal stored, long hash) {
    CollectionScratch scratch = CollectionScratch.of(words);
    int valueOffset = table.valueOffset(words) + (expiry == null ? 0 : MapExpiry.STAMP_BYTES);
    stored.put(words, scratch.image, table.keyOffset(), scratch.keyLength, valueOffset);
  }

  @Override
  void appendRemoved(Words words, StoredJournal stored, long hash, int kind) {
    CollectionScratch scratch = CollectionScratch.of(words);
    stored.removed(words, kind, scratch.image, table.keyOffset(), scratch.keyLength);
  }

  @Override
  @Nullable V storedValue(Words words, long hash) {
    long entry = table.find(words, hash);
    return entry == 0 ? null : value(words, entry);
  }

  /** Returns when the entry in the scratch expires, in a map whose entries do. */
  private long stamp(Words words, long entry) {
    return table.value(words, entry).getLong();
  }

  /** Returns whether the entry in the scratch has expired. */
  private boolean isPastEntry(Words words, long entry) {
    return expiry != null && expiry.isPast(words, stamp(words, entry));
  }

  /** Returns the value of the entry in the scratch. */
  private V value(Words words, long entry) {
    return values.decode(words, valueBytes(words, entry));
  }

  /** Returns the bytes of the value of the entry in the scratch. */
  private DecodingBuffer valueBytes(Words words, long entry) {
    DecodingBuffer value = table.value(words, entry);
    if (expiry != null) {
      long _ = value.getLong();
    }
    return value;
  }

  @Override
  public boolean remove(Tx tx, K key) {
    Words words = words(tx);
    if (entryChanges.isNone() && expiry == null) {
      return table.remove(words, begin(words, key));
    }
    boolean isThere = expiry == null || containsKey(tx, key);
    int kind = isThere ? ChangeLayout.REMOVED : ChangeLayout.EXPIRED;
    return entryChanges.remove(words, this, key, begin(words, key), kind) && isThere;
  }

  /** Removes the entry in the scratch by its stored bytes: its key as decoded may have others. */
  private boolean removeFound(Words words, long entry, int kind) {
    K key = entryChanges.needsKey() ? keys.decode(words, table.key(words, entry)) : null;
    byte[] stored = table.key(words, entry).peek();
    return entryChanges.remove(words, this, key, beginStored(words, stored), kind);
  }

  /** Takes the stored bytes of a key into the scratch, and returns their hash. */
  private long beginStored(Words words, byte[] stored) {
    table.beginImage(words).putBytes(stored);
    return table.endKey(words);
  }

  @Override
  void removePast(Words words, K key) {
    long entry = table.find(words, begin(words, key));
    if (entry != 0 && isPastEntry(words, entry)) {
      boolean _ = removeFound(words, entry, ChangeLayout.EXPIRED);
    }
  }

  /**
   * Counts the entries, in constant time. If entries expire, it goes through all of them; {@link
   * EntryExpiry#storedEntries} counts those that were not reclaimed.
   */
  @Override
  public long size(Tx tx) {
    Words words = words(tx);
    return expiry == null ? table.size(words) : keys(tx).count();
  }

  /** Returns whether there is no entry. If entries expire, it looks for one that has not. */
  @Override
  public boolean isEmpty(Tx tx) {
    return expiry == null ? table.size(words(tx)) == 0 : !new KeyIterator(tx).hasNext();
  }

  @Override
  public void clear(Tx tx) {
    long position = 0;
    do {
      position = clear(tx, position, Integer.MAX_VALUE);
    } while (position != 0);
  }

  /**
   * Removes the entries from a position on, about so many, and returns the position of the rest, or
   * 0 at the end; see {@link #walk}.
   */
  long clear(Tx tx, long position, int entries) {
    return walkEntries(
        tx,
        position,
        entries,
        (words, entry) -> {
          int kind = isPastEntry(words, entry) ? ChangeLayout.EXPIRED : ChangeLayout.REMOVED;
          boolean _ = removeFound(words, entry, kind);
        });
  }

  @Override
  boolean buildStep(Tx tx, Tree index, int entries, BiConsumer<? super K, ? super V> function) {
    Words words = words(tx);
    long position = TreeBuild.position(words, index);
    long next =
        expiry == null
            ? walk(tx, position, entries, function)
            : walkEntries(
                tx, position, entries, (here, entry) -> showUnlessPast(here, entry, function));
    TreeBuild.position(words, index, next);
    return next == 0;
  }

  /** An entry that has expired is not there for an index, so it must not be for its removal. */
  private void showUnlessPast(Words words, long entry, BiConsumer<? super K, ? super V> function) {
    if (isPastEntry(words, entry)) {
      boolean _ = removeFound(words, entry, ChangeLayout.EXPIRED);
    } else {
      function.accept(keys.decode(words, table.key(words, entry)), value(words, entry));
    }
  }

  @Override
  EntryCodec<K> keyCodec() {
    return keys;
  }

  @Override
  EntryCodec<V> valueCodec() {
    return values;
  }

  @Override
  ChangeCodec<K, V> changeCodec() {
    return ChangeCodec.of(keys, values);
  }

  // ---- What the expiry of entries needs.

  @Override
  @Nullable EntryExpiry<K, V> expiryOrNull() {
    return expiry;
  }

  @Override
  long storedEntries(Words words) {
    return table.size(words);
  }

  @Override
  long expiresAt(Words words, K key) {
    long entry = table.find(words, begin(words, key));
    return entry == 0 || isPastEntry(words, entry) ? EntryExpiry.ABSENT : stamp(words, entry);
  }

  @Override
  boolean restamp(Words words, K key, long expiresAt) {
    entryChanges.requireChangeable(words);
    long hash = begin(words, key);
    long entry = table.find(words, hash);
    if (entry == 0 || isPastEntry(words, entry)) {
      return false;
    }
    DecodingBuffer value = table.value(words, entry);
    if (value.getLong() != expiresAt) {
      byte[] bytes = value.peek();
      EncodingBuffer image = table.beginValue(words);
      image.putLong(expiresAt);
      image.putBytes(bytes);
      table.endValue(words);
      boolean _ = table.put(words, hash);
    }
    return true;
  }

  @Override
  byte @Nullable [] walkStored(
      Tx tx, byte @Nullable [] position, int entries, StoredVisitor<K> visitor) {
    long from = position == null ? 0 : ByteBuffer.wrap(position).getLong();
    long next =
        walkEntries(
            tx,
            from,
            entries,
            (words, entry) -> {
              long expiresAt = expiry == null ? ExpiryClock.NEVER : stamp(words, entry);
              byte[] stored = table.key(words, entry).peek();
              visitor.visit(keys.decode(words, table.key(words, entry)), stored, expiresAt);
            });
    return next == 0 ? null : ByteBuffer.allocate(Long.BYTES).putLong(next).array();
  }

  @Override
  boolean reclaim(Words words, byte[] key) {
    long entry = table.find(words, beginStored(words, key));
    return entry != 0
        && expiry != null
        && expiry.isReclaimable(words, stamp(words, entry))
        && removeExpired(words, entry);
  }

  /** Removes the entry in the scratch, which has expired, and returns whether it did. */
  private boolean removeExpired(Words words, long entry) {
    K key = null;
    V value = null;
    if (eviction != null && eviction.tellsExpired()) {
      key = keys.decode(words, table.key(words, entry));
      value = value(words, entry);
    }
    boolean isRemoved = removeFound(words, entry, ChangeLayout.EXPIRED);
    if (isRemoved && eviction != null) {
      eviction.expired(words, key, value);
    }
    return isRemoved;
  }

  // ---- What a cache needs.

  /** Returns what keeps the bound. */
  MapEviction eviction() {
    return Objects.requireNonNull(eviction);
  }

  /** Returns the value of a key, or null, and counts its use. */
  @Nullable V getAndCount(Words words, K key) {
    long hash = begin(words, key);
    long entry = table.find(words, hash);
    if (entry == 0 || isPastEntry(words, entry)) {
      return null;
    }
    eviction().used(words, hash);
    return value(words, entry);
  }

  /** Returns the time of the transaction in milliseconds, in a map whose entries expire. */
  long now(Words words) {
    return expiry().now(words);
  }

  /** Returns a position that is anywhere in the table. */
  private static long anywhere(Words words) {
    return words.randomLong();
  }

  /** Preloads entries that are evicted next. */
  void loadVictims(Words words, long[] hashes, int count) {
    table.loadVictims(words, hashes, count);
  }

  /** Shows some entries to the policy of a cache, which are read without validation. */
  void sampleHints(Words words, CachePolicy policy) {
    HashTableSample sample = table.sample(words, expiry != null);
    int count = sample.count();
    long now = expiry == null ? 0 : expiry.now(words);
    policy.sampled(sample.hashes(), sample.stamps(), now, count);
  }

  /**
   * Shows some entries to the policy of a cache, those among them that this transaction has put.
   *
   * @param kept the hash of keys whose entries are not shown
   * @return whether there is any
   */
  boolean sample(Words words, CachePolicy policy, long kept) {
    HashTableCursor cursor = new HashTableCursor(table, anywhere(words));
    boolean hasBegunAgain = false;
    int shown = 0;
    policy.beginSample();
    while (shown < CachePolicy.SAMPLE) {
      long entry = cursor.next(words);
      if (entry == 0) {
        if (hasBegunAgain) {
          break;
        }
        hasBegunAgain = true;
        cursor = new HashTableCursor(table);
        continue;
      }
      boolean isPast = isPastEntry(words, entry);
      long hash = table.entryHash(words, entry);
      if (hash != kept) {
        policy.sampled(hash, isPast);
        shown++;
      }
    }
    return shown > 0;
  }

  /**
   * Removes an entry whose key has a hash, to make room.
   *
   * @param image the hash of the key in the image, which takes the room if it can; 0 for no image
   */
  MapEviction.Room evict(Words words, long hash, long image) {
    long entry = table.findByHash(words, hash);
    if (entry == 0) {
      return MapEviction.Room.NONE;
    }
    if (isPastEntry(words, entry)) {
      boolean _ = removeExpired(words, entry);
      return MapEviction.Room.MADE_OVER_IMAGE;
    }
    eviction().bound().countEviction(words);
    if (!entryChanges.isNone()) {
      boolean _ = removeFound(words, entry, ChangeLayout.EVICTED);
      return MapEviction.Room.MADE_OVER_IMAGE;
    }
    if (image != 0 && table.exchange(words, image, entry)) {
      return MapEviction.Room.TAKEN;
    }
    table.removeFound(words, entry);
    return MapEviction.Room.MADE;
  }

  /** Removes the entry of a key if it has expired, and returns whether it did. */
  boolean removeIfExpired(Words words, K key) {
    long entry = table.find(words, begin(words, key));
    if (entry == 0 || !isPastEntry(words, entry)) {
      return false;
    }
    byte[] stored = table.key(words, entry).peek();
    expiry().moveHorizon(words); // so that no transaction with an earlier time comes later
    return reclaim(words, stored);
  }

  /** Returns the encoded value of a key, or null. */
  byte @Nullable [] encodedValue(Words words, K key) {
    long entry = table.find(words, begin(words, key));
    return entry == 0 || isPastEntry(words, entry) ? null : valueBytes(words, entry).peek();
  }

  @Override
  public <X> PersistentIndex<X, K, V> index(Index<V, X> declaration) {
    return entryChanges.search(this, declaration);
  }

  /** Returns all keys. */
  public Stream<K> keys(Tx tx) {
    return new KeyIterator(tx).stream();
  }

  /** Returns all values. */
  public Stream<V> values(Tx tx) {
    return new ValueIterator(tx).stream();
  }

  /** Returns all entries; they cannot be changed, and stay what they are. */
  public Stream<Map.Entry<K, V>> entries(Tx tx) {
    return new EntryIterator(tx).stream();
  }

  /** Returns all entries; they cannot be changed, and stay what they are. */
  public Iterator<Map.Entry<K, V>> iterator(Tx tx) {
    return new EntryIterator(tx);
  }

  /** Calls a function with every entry. */
  public void forEach(Tx tx, BiConsumer<? super K, ? super V> function) {
    Words words = words(tx);
    HashTableCursor cursor = new HashTableCursor(table);
    for (long entry = cursor.next(words); entry != 0; entry = cursor.next(words(tx))) {
      if (!isPastEntry(words, entry)) {
        K key = keys.decode(words, table.key(words, entry));
        function.accept(key, value(words, entry));
      }
    }
  }

  /**
   * Calls a function with some entries, and returns where to go on: a walk through a map of any
   * size, a few entries in each transaction. A walk begins at 0, and it has ended when 0 is
   * returned. It holds nothing between the calls, and may be given up or resumed at any time, also
   * after the store was opened again.
   *
   * <p>Entries may come and go, and the map may grow, between the calls and during them. A walk
   * shows every key that is in the map from its beginning to its end exactly once, and any other
   * key at most once, provided that each position which is passed on comes from a transaction that
   * has committed. The function is called again when the transaction is repeated.
   *
   * <p>Every number is a position. One that no call has returned leads to some place of the walk,
   * so a random number begins at a random place; to go through all entries from there, go on after
   * 0 until the place comes by again.
   *
   * @param position 0, or what an earlier call has returned
   * @param entries number of entries, at least 1. The call ends when it has shown so many, and with
   *     them all of their bucket, which has 7 entries or fewer and rarely more. It also ends when
   *     it has met so many buckets and {@value #WALKED_BUCKETS}, so it may show fewer entries, or
   *     none, where a map has become almost empty. Entries that have expired count, and are not
   *     shown
   * @return the position of the entries behind these; 0 if the walk has ended
   */
  public long walk(Tx tx, long position, int entries, BiConsumer<? super K, ? super V> function) {
    Words words = words(tx);
    if (entries < 1) {
      throw words.refuse(
          new IllegalArgumentException(
              "a walk through " + this + " shows at least 1 entry in a call, not " + entries));
    }
    return walkEntries(
        tx,
        position,
        entries,
        (here, entry) -> {
          if (!isPastEntry(here, entry)) {
            K key = keys.decode(here, table.key(here, entry));
            function.accept(key, value(here, entry));
          }
        });
  }

  /** Shows an entry of the table, whose key or value may be read until the next look-up. */
  @FunctionalInterface
  private interface EntryVisitor {
    void visit(Words words, long entry);
  }

  private long walkEntries(Tx tx, long position, int entries, EntryVisitor visitor) {
    HashTableCursor cursor = new HashTableCursor(table, position);
    int left = entries;
    while (left > 0 || !cursor.isBetweenIntervals()) {
      Words words = words(tx);
      long entry = cursor.next(words, (long) entries + WALKED_BUCKETS);
      if (entry == 0) {
        break;
      }
      visitor.visit(words, entry);
      left--;
    }
    return cursor.resumeAt();
  }

  /**
   * Returns this map as one of {@code java.util}, each of whose operations is a transaction of its
   * own: for trying it in a program that exists. Atomic methods are atomic; {@code putAll} is many,
   * and {@code clear} removes the entries of a large map in several. Going over the map, its keys,
   * values or entries, shows one state of it, which is copied to the Java heap; what an iterator
   * removes is removed from the map.
   *
   * <p>{@link KeyedCollection} says which keys and values are the same for it.
   *
   * <p>In the body of a transaction use {@link #asMap(Tx)}: this view does not see what the body
   * has written, and what it changes stays so although the body is rolled back.
   */
  public ConcurrentMap<K, V> asMap() {
    return new MapView<>(this, ViewCalls.each(transactions()));
  }

  /**
   * Returns this map as one of {@code java.util} within a transaction, with which it ends. Its
   * iterators go on while the transaction changes the map, as those of this class.
   */
  public ConcurrentMap<K, V> asMap(Tx tx) {
    return new MapView<>(this, ViewCalls.in(tx));
  }

  private abstract class TableIterator<E> extends TransactionIterator<E> {
    private final HashTableCursor cursor = new HashTableCursor(table);

    TableIterator(Tx tx) {
      super(tx);
      words(tx);
    }

    abstract E element(Words words, long entry);

    @Override
    final @Nullable E advance() {
      Words words = words(tx);
      long entry = cursor.next(words);
      while (entry != 0 && isPastEntry(words, entry)) {
        entry = cursor.next(words);
      }
      return entry == 0 ? null : element(words, entry);
    }
  }

  private final class KeyIterator extends TableIterator<K> {
    KeyIterator(Tx tx) {
      super(tx);
    }

    @Override
    K element(Words words, long entry) {
      return keys.decode(words, table.key(words, entry));
    }
  }

  private final class ValueIterator extends TableIterator<V> {
    ValueIterator(Tx tx) {
      super(tx);
    }

    @Override
    V element(Words words, long entry) {
      return value(words, entry);
    }
  }

  private final class EntryIterator extends TableIterator<Map.Entry<K, V>> {
    EntryIterator(Tx tx) {
      super(tx);
    }

    @Override
    Map.Entry<K, V> element(Words words, long entry) {
      K key = keys.decode(words, table.key(words, entry));
      return Map.entry(key, value(words, entry));
    }
  }
}

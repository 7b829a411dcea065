package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.EntryGroup;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableCursor;
import io.howdah.collections.structure.KeysAhead;
import io.howdah.collections.structure.StoredValue;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeBuild;
import io.howdah.collections.views.ViewCalls;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.words.Transactions;
import java.util.Iterator;
import java.util.Map;
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

  /** Bytes before a value in a map whose entries expire: when it does; see {@link MapExpiry}. */
  private static final int STAMP_BYTES = Long.BYTES;

  /** Maximum number of buckets that a walk reads at once, beside those for its entries. */
  static final int WALKED_BUCKETS = 64;

  private final EntryCodec<K> keys;
  private final EntryCodec<V> values;
  private final HashTable table;
  private final @Nullable MapIndexes<K, V> indexes;
  private final @Nullable EntryExpiry<K, V> expiry;

  PersistentMap(
      Transactions transactions,
      FoundCollection found,
      Codec<K> keys,
      Codec<V> values,
      @Nullable MapIndexes<K, V> indexes,
      @Nullable MapJournal journal,
      @Nullable MapExpiry expiry) {
    super(transactions, found, journal, null);
    this.keys = new EntryCodec<>(keys);
    this.values = new EntryCodec<>(values);
    this.table = HashTable.of(found, keys.fixedLength(), valueLength(values, expiry));
    this.indexes = indexes;
    this.expiry = expiry == null ? null : new EntryExpiry<>(this, expiry);
  }

  static String type(Codec<?> keys, Codec<?> values, @Nullable MapExpiry expiry) {
    String type = KIND + " of " + keys.name() + " to " + values.name();
    return expiry == null ? type : MapExpiry.expiring(type);
  }

  /** Returns the length of what the table has as values: a stamp precedes them if they expire. */
  static int valueLength(Codec<?> values, @Nullable MapExpiry expiry) {
    int length = values.fixedLength();
    return expiry == null || length < 0 ? length : STAMP_BYTES + length;
  }

  /** Encodes the key into the scratch and returns its hash. */
  private long begin(TxContext context, K key) {
    encode(context, keys, key, table.beginImage(context), "key", MAX_KEY_BYTES);
    return table.endKey(context);
  }

  private long begin(TxContext context, K key, V value, long expiresAt) {
    long hash = begin(context, key);
    Encoder image = table.beginValue(context);
    int limit = MAX_VALUE_BYTES;
    if (expiry != null) {
      image.putLong(expiresAt);
      limit -= STAMP_BYTES;
    }
    encode(context, values, value, image, "value", limit);
    table.endValue(context);
    return hash;
  }

  @Override
  public @Nullable V get(Tx tx, K key) {
    TxContext context = context(tx);
    long entry = table.find(context, begin(context, key));
    return entry == 0 || isPast(context, entry) ? null : value(context, entry);
  }

  @Override
  @Nullable StoredValue<V> stored(Tx tx, K key) {
    TxContext context = context(tx);
    long entry = table.find(context, begin(context, key));
    if (entry == 0 || isPast(context, entry)) {
      return null;
    }
    Decoder value = valueBytes(context, entry);
    byte[] bytes = value.peek(); // before the codec, which may use the buffer
    return new StoredValue<>(bytes, values.decode(context, value));
  }

  @Override
  public boolean containsKey(Tx tx, K key) {
    TxContext context = context(tx);
    long hash = begin(context, key);
    if (expiry == null) {
      return table.contains(context, hash);
    }
    long entry = table.find(context, hash);
    return entry != 0 && !isPast(context, entry);
  }

  @Override
  void loadAhead(TxContext context, EntryGroup<K, V> group, boolean isChange) {
    if (table.isAheadUseful(context)) {
      KeysAhead ahead = CollectionScratch.of(context).encodeAhead(context, keys, group);
      table.loadAhead(context, ahead, isChange);
    }
  }

  @Override
  public void put(Tx tx, K key, V value) {
    TxContext context = context(tx);
    put(context, key, value, expiry == null ? ExpiryClock.NEVER : expiry.byDefault(context));
  }

  /**
   * Puts an entry.
   *
   * @param expiresAt when it expires, if entries do
   */
  void put(TxContext context, K key, V value, long expiresAt) {
    if (indexes != null && expiry != null) {
      for (K other : indexes.holders(context, this, key, value)) {
        removePast(context, other);
      }
    }
    long hash = begin(context, key, value, expiresAt);
    boolean isNew;
    if (indexes == null && journal == null) {
      isNew = table.put(context, hash);
    } else {
      MapIndexes.Change change =
          indexes == null
              ? null
              : indexes.change(
                  context, this, key, storedValue(context, hash), value); // calls the program
      context.operations.begin();
      if (indexes != null && change != null) {
        indexes.apply(context, change);
      }
      if (journal != null) {
        appendPut(context, journal);
      }
      isNew = table.put(context, hash);
      context.operations.end();
    }
    if (isNew) {
      CollectionScratch scratch = CollectionScratch.of(context);
      requireRepeatable(context, keys, key, scratch.image, table.keyOffset(), scratch.keyLength);
    }
  }

  /** Appends the entry in the image to the journal. */
  private void appendPut(TxContext context, MapJournal journal) {
    CollectionScratch scratch = CollectionScratch.of(context);
    int valueOffset = table.valueOffset(context) + (expiry == null ? 0 : STAMP_BYTES);
    journal.stored().put(context, scratch.image, table.keyOffset(), scratch.keyLength, valueOffset);
  }

  /** Returns the value of the key in the scratch, expired or not, or null. */
  private @Nullable V storedValue(TxContext context, long hash) {
    long entry = table.find(context, hash);
    return entry == 0 ? null : value(context, entry);
  }

  /** Returns when the entry in the scratch expires, in a map whose entries do. */
  private long stamp(TxContext context, long entry) {
    return table.value(context, entry).getLong();
  }

  /** Returns whether the entry in the scratch has expired. */
  private boolean isPast(TxContext context, long entry) {
    return expiry != null && expiry.isPast(context, stamp(context, entry));
  }

  /** Returns the value of the entry in the scratch. */
  private V value(TxContext context, long entry) {
    return values.decode(context, valueBytes(context, entry));
  }

  /** Returns the bytes of the value of the entry in the scratch. */
  private Decoder valueBytes(TxContext context, long entry) {
    Decoder value = table.value(context, entry);
    if (expiry != null) {
      long _ = value.getLong();
    }
    return value;
  }

  @Override
  public boolean remove(Tx tx, K key) {
    TxContext context = context(tx);
    if (indexes == null && journal == null && expiry == null) {
      return table.remove(context, begin(context, key));
    }
    boolean isThere = expiry == null || containsKey(tx, key);
    int kind = isThere ? ChangeLayout.REMOVED : ChangeLayout.EXPIRED;
    return removeStored(context, begin(context, key), key, kind) && isThere;
  }

  /** Removes the entry in the scratch by its stored bytes: its key as decoded may have others. */
  private boolean removeFound(TxContext context, long entry, int kind) {
    K key = indexes == null ? null : keys.decode(context, table.key(context, entry));
    byte[] stored = table.key(context, entry).peek();
    return removeStored(context, beginStored(context, stored), key, kind);
  }

  /** Takes the stored bytes of a key into the scratch, and returns their hash. */
  private long beginStored(TxContext context, byte[] stored) {
    table.beginImage(context).putBytes(stored);
    return table.endKey(context);
  }

  /**
   * Removes the entry of the key in the scratch, expired or not, and returns whether it was there.
   *
   * @param key null if there are no indexes
   * @param kind of the change in the journal
   */
  private boolean removeStored(TxContext context, long hash, @Nullable K key, int kind) {
    MapIndexes.Change change = null;
    if (indexes != null && key != null) {
      V value = storedValue(context, hash);
      if (value == null) {
        return false;
      }
      change = indexes.change(context, this, key, value, null);
    }
    context.operations.begin();
    if (indexes != null && change != null) {
      indexes.apply(context, change);
    }
    boolean isRemoved = table.remove(context, hash);
    if (isRemoved && journal != null) {
      CollectionScratch scratch = CollectionScratch.of(context);
      journal.stored().removed(context, kind, scratch.image, table.keyOffset(), scratch.keyLength);
    }
    context.operations.end();
    return isRemoved;
  }

  private void removePast(TxContext context, K key) {
    long entry = table.find(context, begin(context, key));
    if (entry != 0 && isPast(context, entry)) {
      boolean _ = removeFound(context, entry, ChangeLayout.EXPIRED);
    }
  }

  /**
   * Counts the entries, in constant time. If entries expire, it goes through all of them; {@link
   * EntryExpiry#storedEntries} counts those that were not reclaimed.
   */
  @Override
  public long size(Tx tx) {
    TxContext context = context(tx);
    return expiry == null ? table.size(context) : keys(tx).count();
  }

  /** Returns whether there is no entry. If entries expire, it looks for one that has not. */
  @Override
  public boolean isEmpty(Tx tx) {
    return expiry == null ? table.size(context(tx)) == 0 : !new KeyIterator(tx).hasNext();
  }

  @Override
  public void clear(Tx tx) {
    TxContext context = context(tx);
    HashTableCursor cursor = new HashTableCursor(table);
    for (long entry = cursor.next(context); entry != 0; entry = cursor.next(context)) {
      int kind = isPast(context, entry) ? ChangeLayout.EXPIRED : ChangeLayout.REMOVED;
      boolean _ = removeFound(context, entry, kind);
    }
  }

  /**
   * Returns what says and changes when entries expire.
   *
   * @throws IllegalArgumentException if the map was opened without an {@link Expiry}
   */
  public EntryExpiry<K, V> expiry() {
    if (expiry == null) {
      throw new IllegalArgumentException(
          "the entries of " + this + " do not expire; pass an Expiry where a map is first opened");
    }
    return expiry;
  }

  @Override
  boolean buildStep(Tx tx, Tree index, int entries, BiConsumer<? super K, ? super V> function) {
    TxContext context = context(tx);
    long position = TreeBuild.position(context, index);
    long next =
        expiry == null
            ? walk(tx, position, entries, function)
            : walkEntries(
                tx, position, entries, (here, entry) -> showUnlessPast(here, entry, function));
    TreeBuild.position(context, index, next);
    return next == 0;
  }

  /** An entry that has expired is not there for an index, so it must not be for its removal. */
  private void showUnlessPast(
      TxContext context, long entry, BiConsumer<? super K, ? super V> function) {
    if (isPast(context, entry)) {
      boolean _ = removeFound(context, entry, ChangeLayout.EXPIRED);
    } else {
      function.accept(keys.decode(context, table.key(context, entry)), value(context, entry));
    }
  }

  @Override
  ChangeCodec<K, V> changeCodec() {
    return ChangeCodec.of(keys, values);
  }

  // ---- What the expiry of entries needs.

  @Override
  boolean expires() {
    return expiry != null;
  }

  /** Counts the entries that are stored, expired or not. */
  long storedEntries(TxContext context) {
    return table.size(context);
  }

  /**
   * Returns when an entry expires; {@link EntryExpiry#ABSENT} if it is not there or has expired.
   */
  long expiresAt(TxContext context, K key) {
    long entry = table.find(context, begin(context, key));
    return entry == 0 || isPast(context, entry) ? EntryExpiry.ABSENT : stamp(context, entry);
  }

  /** Changes when an entry expires, and returns whether it was there. Its value stays. */
  boolean restamp(TxContext context, K key, long expiresAt) {
    if (indexes != null) {
      indexes.requireChangeable(context);
    }
    long hash = begin(context, key);
    long entry = table.find(context, hash);
    if (entry == 0 || isPast(context, entry)) {
      return false;
    }
    Decoder value = table.value(context, entry);
    if (value.getLong() != expiresAt) {
      byte[] bytes = value.peek();
      Encoder image = table.beginValue(context);
      image.putLong(expiresAt);
      image.putBytes(bytes);
      table.endValue(context);
      boolean _ = table.put(context, hash);
    }
    return true;
  }

  /** Shows an entry that is stored, expired or not. */
  @FunctionalInterface
  interface StoredVisitor<K> {
    void visit(K key, byte[] stored, long expiresAt);
  }

  /** Like {@link #walk}, with expired entries, and without values. */
  long walkStored(Tx tx, long position, int entries, StoredVisitor<K> function) {
    return walkEntries(
        tx,
        position,
        entries,
        (context, entry) -> {
          long expiresAt = expiry == null ? ExpiryClock.NEVER : stamp(context, entry);
          byte[] stored = table.key(context, entry).peek();
          function.visit(keys.decode(context, table.key(context, entry)), stored, expiresAt);
        });
  }

  /** Removes the entry of a stored key if it may be reclaimed, and returns whether it did. */
  boolean reclaim(TxContext context, byte[] key) {
    long entry = table.find(context, beginStored(context, key));
    return entry != 0
        && expiry != null
        && expiry.isReclaimable(context, stamp(context, entry))
        && removeFound(context, entry, ChangeLayout.EXPIRED);
  }

  @Override
  public <X> PersistentIndex<X, K, V> index(Index<V, X> declaration) {
    return MapIndexes.search(this, indexes, declaration);
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
    TxContext context = context(tx);
    HashTableCursor cursor = new HashTableCursor(table);
    for (long entry = cursor.next(context); entry != 0; entry = cursor.next(context(tx))) {
      if (!isPast(context, entry)) {
        K key = keys.decode(context, table.key(context, entry));
        function.accept(key, value(context, entry));
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
    TxContext context = context(tx);
    if (entries < 1) {
      throw context.refuse(
          new IllegalArgumentException(
              "a walk through " + this + " shows at least 1 entry in a call, not " + entries));
    }
    return walkEntries(
        tx,
        position,
        entries,
        (here, entry) -> {
          if (!isPast(here, entry)) {
            K key = keys.decode(here, table.key(here, entry));
            function.accept(key, value(here, entry));
          }
        });
  }

  /** Shows an entry of the table, whose key or value may be read until the next look-up. */
  @FunctionalInterface
  private interface EntryVisitor {
    void visit(TxContext context, long entry);
  }

  private long walkEntries(Tx tx, long position, int entries, EntryVisitor visitor) {
    HashTableCursor cursor = new HashTableCursor(table, position);
    int left = entries;
    while (left > 0 || !cursor.isBetweenIntervals()) {
      TxContext context = context(tx);
      long entry = cursor.next(context, (long) entries + WALKED_BUCKETS);
      if (entry == 0) {
        break;
      }
      visitor.visit(context, entry);
      left--;
    }
    return cursor.resumeAt();
  }

  /**
   * Returns this map as one of {@code java.util}, each of whose operations is a transaction of its
   * own: for trying it in a program that exists. Atomic methods are atomic; {@code putAll} is many.
   * Going over the map, its keys, values or entries, shows one state of it, which is copied to the
   * Java heap; what an iterator removes is removed from the map.
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
      context(tx);
    }

    abstract E element(TxContext context, long entry);

    @Override
    final @Nullable E advance() {
      TxContext context = context(tx);
      long entry = cursor.next(context);
      while (entry != 0 && isPast(context, entry)) {
        entry = cursor.next(context);
      }
      return entry == 0 ? null : element(context, entry);
    }
  }

  private final class KeyIterator extends TableIterator<K> {
    KeyIterator(Tx tx) {
      super(tx);
    }

    @Override
    K element(TxContext context, long entry) {
      return keys.decode(context, table.key(context, entry));
    }
  }

  private final class ValueIterator extends TableIterator<V> {
    ValueIterator(Tx tx) {
      super(tx);
    }

    @Override
    V element(TxContext context, long entry) {
      return value(context, entry);
    }
  }

  private final class EntryIterator extends TableIterator<Map.Entry<K, V>> {
    EntryIterator(Tx tx) {
      super(tx);
    }

    @Override
    Map.Entry<K, V> element(TxContext context, long entry) {
      K key = keys.decode(context, table.key(context, entry));
      return Map.entry(key, value(context, entry));
    }
  }
}

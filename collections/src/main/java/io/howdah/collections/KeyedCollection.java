package io.howdah.collections;

import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.index.IndexedMap;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.StoredJournal;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.EntryGroup;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.KeysAhead;
import io.howdah.collections.structure.StoredValue;
import io.howdah.collections.structure.Tree;
import io.howdah.txn.Tx;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What maps have in common: values by key. Every call belongs to a transaction, and is undone with
 * it. Thread-safe.
 *
 * <p>{@code asMap} returns a map as one of {@code java.util}. There, values are the same if they
 * are equal, if they are arrays with equal elements, or if their encodings are the same bytes: in
 * {@code remove}, {@code replace}, {@code containsValue}, in what {@code values()} and {@code
 * entrySet()} find and remove, and where maps and entries are compared. Keys are the same if their
 * encodings are. The hash of an entry is that of the elements where a key or value is an array; of
 * other classes without {@code equals} it is that of the object, so put no entries with these into
 * a hash set.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public abstract class KeyedCollection<K, V> extends PersistentCollection {

  /** What belongs to each change of an entry. */
  final EntryChanges<K, V> entryChanges;

  /** This map as its indexes know it; null if it has none. */
  private final @Nullable IndexedMap asIndexed;

  KeyedCollection(
      Transactions transactions,
      FoundCollection found,
      EntryChanges<K, V> entryChanges,
      @Nullable CollectionHome home) {
    super(transactions, found, home);
    this.entryChanges = entryChanges;
    this.asIndexed = entryChanges.needsKey() ? new AsIndexed() : null;
  }

  /** What the map does for its indexes. */
  private final class AsIndexed implements IndexedMap {
    @Override
    public <T> void encode(
        Words words, EntryCodec<T> codec, T value, EncodingBuffer out, String role, int limit) {
      KeyedCollection.this.encode(words, codec, value, out, role, limit);
    }

    @Override
    public RuntimeException duplicate(String index, String message) {
      return new UniqueIndexException(index, message);
    }
  }

  /** Returns what an index knows of this map, which has one. */
  final IndexedMap asIndexed() {
    return Objects.requireNonNull(asIndexed);
  }

  /** Returns the codec of the keys. */
  abstract EntryCodec<K> keyCodec();

  /** Returns the codec of the values. */
  abstract EntryCodec<V> valueCodec();

  /** Returns the codecs of what the journal holds. */
  abstract ChangeCodec<K, V> changeCodec();

  /**
   * Returns what reads the changes of this map, and calls listeners with them. An entry that
   * expires is a change when it is removed from memory, not when its time has come; a time that is
   * set anew is none.
   *
   * @throws IllegalArgumentException if the map has no {@link ChangeJournal}
   */
  public final Changes<K, V> changes() {
    return changes(entryChanges.journal(), changeCodec());
  }

  /** Returns the value of a key, or null. */
  public abstract @Nullable V get(Tx tx, K key);

  /** Returns the value of a key with its bytes, or null. */
  abstract @Nullable StoredValue<V> stored(Tx tx, K key);

  /**
   * Returns what searches an index of this map.
   *
   * @param declaration one that the map was opened with
   */
  public abstract <X> PersistentIndex<X, K, V> index(Index<V, X> declaration);

  /** When entries expire; null if they do not. */
  abstract @Nullable EntryExpiry<K, V> expiryOrNull();

  /** Returns whether entries expire. */
  final boolean expires() {
    return expiryOrNull() != null;
  }

  /**
   * Returns what says and changes when entries expire.
   *
   * @throws IllegalArgumentException if the map was opened without an {@link Expiry}
   */
  public final EntryExpiry<K, V> expiry() {
    EntryExpiry<K, V> expiry = expiryOrNull();
    if (expiry == null) {
      throw new IllegalArgumentException(
          "the entries of " + this + " do not expire; pass an Expiry where a map is first opened");
    }
    return expiry;
  }

  /** Returns when an entry expires that is put now without a time of its own. */
  final long stampOfNew(Words words) {
    EntryExpiry<K, V> expiry = expiryOrNull();
    return expiry == null ? ExpiryClock.NEVER : expiry.byDefault(words);
  }

  // ---- What the expiry of entries needs.

  /**
   * Puts an entry; returns whether the key is new.
   *
   * @param expiresAt when it expires, if entries do
   */
  abstract boolean put(Words words, K key, V value, long expiresAt);

  /** Counts the entries that are stored, expired or not. */
  abstract long storedEntries(Words words);

  /**
   * Returns when an entry expires; {@link EntryExpiry#ABSENT} if it is not there or has expired.
   */
  abstract long expiresAt(Words words, K key);

  /** Changes when an entry expires, and returns whether it was there. Its value stays. */
  abstract boolean restamp(Words words, K key, long expiresAt);

  /** Shows an entry that is stored, expired or not. */
  @FunctionalInterface
  interface StoredVisitor<K> {
    void visit(K key, byte[] stored, long expiresAt);
  }

  /**
   * Shows some stored entries, and returns where to go on, or null at the end.
   *
   * @param position what an earlier call has returned; null for the beginning
   * @param entries about how many, at least 1
   */
  abstract byte @Nullable [] walkStored(
      Tx tx, byte @Nullable [] position, int entries, StoredVisitor<K> visitor);

  /** Removes the entry of a stored key if it may be reclaimed, and returns whether it did. */
  abstract boolean reclaim(Words words, byte[] key);

  // ---- What a change of an entry needs. The key is in the scratch; "at" is its hash or its
  // length.

  /** Removes the entry of a key if it has expired. */
  void removePast(Words words, K key) {}

  /** Returns the value of the key, expired or not, or null. */
  abstract @Nullable V storedValue(Words words, long at);

  /** Puts the entry in the scratch into the table or the tree; returns whether the key is new. */
  abstract boolean putEntry(Words words, long at);

  /** Removes the key from the table or the tree, and returns whether it was there. */
  abstract boolean removeEntry(Words words, long at);

  /** Appends the entry in the scratch to a journal. */
  abstract void appendPut(Words words, StoredJournal stored, long at);

  /**
   * Appends the removal of the key to a journal.
   *
   * @param kind of the change
   */
  abstract void appendRemoved(Words words, StoredJournal stored, long at, int kind);

  // ---- Maps of both kinds.

  /**
   * Shows some entries behind the place that an index which is built keeps, and moves this place,
   * in the same transaction.
   *
   * @param entries about how many, at least 1
   * @return whether all entries have been shown
   */
  abstract boolean buildStep(
      Tx tx, Tree index, int entries, BiConsumer<? super K, ? super V> function);

  /** Returns whether a key has a value. */
  public abstract boolean containsKey(Tx tx, K key);

  /** Gives a key a value, in place of any other. */
  public abstract void put(Tx tx, K key, V value);

  /**
   * Removes a key.
   *
   * @return whether it was there
   */
  public abstract boolean remove(Tx tx, K key);

  /**
   * Counts the entries, in constant time. If entries expire, it goes through all of them; {@link
   * EntryExpiry#storedEntries} counts those that were not reclaimed.
   */
  public abstract long size(Tx tx);

  /** Returns whether there is no entry. */
  public boolean isEmpty(Tx tx) {
    return size(tx) == 0;
  }

  /** Returns the value of a key, or another one if it has none. */
  public final V getOrDefault(Tx tx, K key, V otherwise) {
    V value = get(tx, key);
    return value == null ? otherwise : value;
  }

  /**
   * Gives a key a value if it has none.
   *
   * @return the value it had, or null
   */
  public final @Nullable V putIfAbsent(Tx tx, K key, V value) {
    V old = get(tx, key);
    if (old == null) {
      put(tx, key, value);
    }
    return old;
  }

  /**
   * Gives a key a value if it has none.
   *
   * @param function from the key to its value; null gives it none
   * @return the value that it has now, or null
   */
  public final @Nullable V computeIfAbsent(
      Tx tx, K key, Function<? super K, ? extends @Nullable V> function) {
    V old = get(tx, key);
    if (old != null) {
      return old;
    }
    V value = function.apply(key);
    if (value != null) {
      put(tx, key, value);
    }
    return value;
  }

  /**
   * Gives a key another value if it has one.
   *
   * @param function from the key and its value to its new value; null removes the key
   * @return the value that it has now, or null
   */
  public final @Nullable V computeIfPresent(
      Tx tx, K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    V old = get(tx, key);
    return old == null ? null : computed(tx, key, old, function.apply(key, old));
  }

  /**
   * Puts all entries of a map, in this transaction; otherwise like {@link #putAll(Tx, Iterable)}.
   *
   * @return how many keys are new
   */
  public final long putAll(Tx tx, Map<? extends K, ? extends V> entries) {
    return putAll(tx, entries.entrySet());
  }

  /**
   * Puts entries, in this transaction; {@code StoreOptions.maxTransactionBytes} bounds what one may
   * write, and {@link #load} puts more. Does what {@link #put} does for one entry after the other,
   * in the order of the iterator, and takes less time where this map is larger than the caches, and
   * in a sorted map where the keys ascend: up to 64 entries are taken from the iterator, and
   * encoded, before the first of them is put. So the iterator must not show one object with
   * changing contents for several entries. What it throws is thrown after the entries before it
   * were put.
   *
   * @return how many keys are new. An entry that has expired and was not reclaimed counts as there
   */
  public final long putAll(Tx tx, Iterable<? extends Map.Entry<? extends K, ? extends V>> entries) {
    EntryGroup<K, V> group = group(tx);
    Iterator<? extends Map.Entry<? extends K, ? extends V>> all = entries.iterator();
    long added = 0;
    while (group.takeEntries(all)) {
      added += putGroup(tx, group);
      group.end();
    }
    return added;
  }

  /**
   * Puts any number of entries in as many transactions of its own as they need: a bulk load. Each
   * entry is put as {@link #put} does, with indexes, journal and expiry, and replaces what its key
   * has. In a sorted map, keys in ascending order take the least time, and fill the leaves behind
   * the last key completely. Other orders are as good as any, and the order may change on the way.
   *
   * <p>The load keeps the entries of one transaction on the heap, and {@link LoadOptions} bounds
   * them. What a crash leaves, or an exception, is the entries of the first transactions, each one
   * whole: a beginning of what the iterator has shown. {@link LoadOptions#withNote} is the way to
   * go on behind it. When this returns, all entries have survived what the mode of the options
   * says, or that of the store. What the iterator throws is thrown after the entries before it were
   * put.
   *
   * <p>Call it outside of a transaction: it does not see what the caller's transaction has written,
   * and is not undone with it. Other threads may use the map, and load into it, meanwhile.
   *
   * @param entries one object for each entry: several are kept. The iterator is asked outside of
   *     transactions, so it may read this store
   */
  public final LoadResult load(
      Iterator<? extends Map.Entry<? extends K, ? extends V>> entries, LoadOptions options) {
    return new BulkLoad<>(this, entries, options).run();
  }

  /** Puts any number of entries, with default options; see {@link #load(Iterator, LoadOptions)}. */
  public final LoadResult load(Iterator<? extends Map.Entry<? extends K, ? extends V>> entries) {
    return load(entries, LoadOptions.defaults());
  }

  /** Puts the entries of a group in their order; returns how many keys are new. */
  long putGroup(Tx tx, EntryGroup<K, V> group) {
    loadAhead(tx, group, true);
    long added = 0;
    for (int i = 0; i < group.count(); i++) {
      added += isNewWhenPut(tx, group.key(i), group.value(i)) ? 1 : 0;
    }
    return added;
  }

  /** Does what {@link #put} does; returns whether the key is new. */
  abstract boolean isNewWhenPut(Tx tx, K key, V value);

  /**
   * Returns the values of those keys that have one, by key, in the order of the keys. Takes less
   * time than {@link #get} for one key after the other where this map is larger than the caches.
   *
   * <p>In the map that is returned, {@link Object#equals} decides which keys are equal: keys that
   * are arrays are found there by the arrays that were passed. Up to 16 keys are taken before the
   * first is looked up, so the iterator must not show one object for several keys.
   *
   * @return a new map, which belongs to the caller
   */
  public final Map<K, V> getAll(Tx tx, Collection<? extends K> keys) {
    Map<K, V> found = new LinkedHashMap<>();
    getEach(
        tx,
        keys,
        (key, value) -> {
          if (value != null) {
            found.put(key, value);
          }
        });
    return found;
  }

  /**
   * Calls an action for each of the keys, in their order, with its value or null. Takes less time
   * than {@link #get} for one key after the other where this map is larger than the caches. Up to
   * 16 keys are taken before the first is looked up, so the iterator must not show one object for
   * several keys.
   *
   * @param action is called in the transaction, and again if its body runs again; may change the
   *     map
   */
  public final void getEach(
      Tx tx, Collection<? extends K> keys, BiConsumer<? super K, ? super @Nullable V> action) {
    EntryGroup<K, V> group = group(tx, KeysAhead.MAX_KEYS);
    for (Iterator<? extends K> all = keys.iterator(); group.takeKeys(all); group.end()) {
      loadAhead(tx, group, false);
      for (int i = 0; i < group.count(); i++) {
        action.accept(group.key(i), get(tx, group.key(i)));
      }
    }
  }

  /**
   * Removes keys, as {@link #remove} does, and in less time where this map is larger than the
   * caches. Up to 16 keys are taken before the first is removed, so the iterator must not show one
   * object for several keys.
   *
   * @return how many were there
   */
  public final long removeAll(Tx tx, Collection<? extends K> keys) {
    long removed = 0;
    EntryGroup<K, V> group = group(tx, KeysAhead.MAX_KEYS);
    for (Iterator<? extends K> all = keys.iterator(); group.takeKeys(all); group.end()) {
      loadAhead(tx, group, true);
      for (int i = 0; i < group.count(); i++) {
        removed += remove(tx, group.key(i)) ? 1 : 0;
      }
    }
    return removed;
  }

  /** Returns a group for {@link #putGroup}. */
  final EntryGroup<K, V> group(Tx tx) {
    return group(tx, groupEntries());
  }

  private EntryGroup<K, V> group(Tx tx, int entries) {
    Words _ = words(tx); // refuses a transaction that has ended, also without any key
    return new EntryGroup<>(RunningTx.of(tx), entries);
  }

  /** Returns how many entries {@link #putGroup} puts at once. */
  int groupEntries() {
    return KeysAhead.MAX_KEYS;
  }

  private void loadAhead(Tx tx, EntryGroup<K, V> group, boolean isChange) {
    if (group.count() > 1) {
      loadAhead(words(tx), group, isChange);
    }
  }

  /**
   * Loads what operations on several keys are going to read, so that their cache misses overlap.
   *
   * @param isChange whether entries get other values
   */
  abstract void loadAhead(Words words, EntryGroup<K, V> group, boolean isChange);

  /**
   * Removes all entries, in this transaction, which conflicts with each one that changes the map. A
   * large map is removed faster by {@code StoreAdmin.drop}, and in several transactions by the
   * {@code clear} of {@code asMap()}.
   */
  public abstract void clear(Tx tx);

  /**
   * Gives a key a value that depends on the one it has.
   *
   * @param function from the key, and its value or null, to its new value; null removes it
   * @return the new value
   */
  public final @Nullable V compute(
      Tx tx, K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    V old = get(tx, key);
    return computed(tx, key, old, function.apply(key, old));
  }

  private @Nullable V computed(Tx tx, K key, @Nullable V old, @Nullable V value) {
    if (value != null) {
      put(tx, key, value);
    } else if (old != null || containsKey(tx, key)) { // the function may have put it
      remove(tx, key);
    }
    return value;
  }

  /**
   * Gives a key a value if it has none, and else what a function makes of both.
   *
   * @return the new value, null if the function removed it
   */
  public final @Nullable V merge(
      Tx tx, K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return compute(tx, key, (_, old) -> old == null ? value : function.apply(old, value));
  }
}

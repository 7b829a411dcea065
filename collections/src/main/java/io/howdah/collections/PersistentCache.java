package io.howdah.collections;

import io.howdah.collections.changes.Changes;
import io.howdah.collections.structure.TableBound;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cache in a store, from {@code Store.cache}: a map whose entries together stay within a bound,
 * and which is not empty after a restart.
 *
 * <p>A transaction that puts an entry for which there is no room evicts others, of which it expects
 * the fewest hits. So each state that a transaction or a crash leaves is within the bound. Entries
 * are as durable as those of a map. How often keys were used is an estimate in memory; a part of it
 * is saved whenever an entry is evicted, and read when the cache is opened.
 *
 * <p>Each operation is there twice: within a transaction of the program, and in one of its own, for
 * which it must not be called in a body. An entry may be evicted at any time, also by the
 * transaction that has put it.
 *
 * <p>Thread-safe.
 *
 * @param <K> the keys; their codec decides which are equal
 * @param <V> the values
 */
public final class PersistentCache<K, V> {

  /** An access prolongs an entry that has used up this part of its time. */
  private static final int USED_SHARE = 16;

  private static final int CLEARED_AT_ONCE = 256;
  private static final int PROLONGED_AT_ONCE = 64;

  private final PersistentMap<K, V> map;
  private final TableBound bound;
  private final CacheState state;
  private final long accessMillis;
  private final long evictedBefore;

  /**
   * Creates a handle.
   *
   * @param accessMillis how long entries live after an access; 0 if an access does not matter
   * @param evictedBefore how many entries were evicted before the store was opened
   */
  PersistentCache(
      PersistentMap<K, V> map, CacheState state, long accessMillis, long evictedBefore) {
    this.map = map;
    this.bound = map.eviction().bound();
    this.state = state;
    this.accessMillis = accessMillis;
    this.evictedBefore = evictedBefore;
  }

  static String type(String mapType) {
    return TableBound.bounded(mapType);
  }

  private Transactions transactions() {
    return map.transactions();
  }

  /** Returns the name that the store knows it by. */
  public String name() {
    return map.name();
  }

  // ---- Look-ups.

  /** Returns the value of a key, or null. */
  @SuppressWarnings("NullAway") // it does not see that the result may be null
  public @Nullable V get(K key) {
    if (accessMillis != 0) {
      return getAndProlong(key);
    }
    return transactions().<@Nullable V, RuntimeException>read(tx -> found(map.words(tx), key));
  }

  /** Looks a key up, and counts that. */
  private @Nullable V found(Words words, K key) {
    V found = map.getAndCount(words, key);
    (found == null ? state.misses : state.hits).add(words.id, 1);
    return found;
  }

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  private @Nullable V getAndProlong(K key) {
    boolean[] isDue = {false};
    V value =
        transactions()
            .<@Nullable V, RuntimeException>read(
                tx -> {
                  Words words = map.words(tx);
                  V found = found(words, key);
                  isDue[0] = found != null && isProlongedNow(words, key);
                  return found;
                });
    if (isDue[0]) {
      prolong(List.of(key));
    }
    return value;
  }

  /** Gives entries all of their time again, unless something else has done so meanwhile. */
  private void prolong(List<K> keys) {
    for (int from = 0; from < keys.size() && !transactions().isReadOnly(); ) {
      int end = Math.min(keys.size(), from + PROLONGED_AT_ONCE);
      List<K> some = keys.subList(from, end);
      boolean _ =
          transactions()
              .call(
                  TxOptions.async(),
                  tx -> {
                    for (K key : some) {
                      if (isProlongedNow(map.words(tx), key)) {
                        boolean _ = map.expiry().touch(tx, key);
                      }
                    }
                    return true;
                  });
      from = end;
    }
  }

  /** Returns the value of a key within a transaction, or null. */
  public @Nullable V get(Tx tx, K key) {
    Words words = map.words(tx);
    V found = found(words, key);
    if (found != null && !words.isReadOnly() && isProlongedNow(words, key)) {
      boolean _ = map.expiry().touch(tx, key);
    }
    return found;
  }

  /** Returns whether the entry of a key has used up so much of its time that an access writes. */
  private boolean isProlongedNow(Words words, K key) {
    if (accessMillis == 0) {
      return false;
    }
    long at = map.expiresAt(words, key);
    return at > 0 && at - map.now(words) <= accessMillis - accessMillis / USED_SHARE;
  }

  /**
   * Returns the value of a key, and loads it if there is none. Threads that ask for the same key at
   * the same time wait for one call of a loader, the one that came first. No transaction is open
   * while it runs.
   *
   * <p>If the key is put or removed by this cache meanwhile, what the loader returns is returned to
   * those who wait, and not kept: it may be older. So change the source first, then the cache.
   *
   * @param loader from the key to its value; null if it has none, which is not kept. It must not
   *     ask this cache to load the same key
   * @return the value, or null
   * @throws RuntimeException what the loader throws, in all threads that wait for it
   */
  public @Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader) {
    V found = get(key);
    if (found != null) {
      return found;
    }
    ByteBuffer bytes = bytes(key);
    CacheState.Load own = new CacheState.Load();
    CacheState.Load other = state.begin(bytes, own);
    if (other == null) {
      return load(key, bytes, own, loader);
    }
    state.await(other);
    return result(other);
  }

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  private @Nullable V load(
      K key,
      ByteBuffer bytes,
      CacheState.Load own,
      Function<? super K, ? extends @Nullable V> loader) {
    try {
      V value = transactions().<@Nullable V, RuntimeException>read(tx -> map.get(tx, key));
      if (value == null) { // else another thread has loaded it since this one has looked
        value = loader.apply(key);
        if (value != null) {
          state.loads.increment();
          keep(key, value, own);
        }
      }
      own.loaded(value);
    } catch (RuntimeException | Error e) {
      state.failedLoads.increment();
      own.failed(e);
    } finally {
      state.end(bytes, own);
    }
    return result(own);
  }

  /** Puts a loaded value, unless the entry of its key has changed since the load began. */
  private void keep(K key, V value, CacheState.Load own) {
    boolean isKept =
        transactions()
            .call(
                tx -> {
                  if (!own.isOutdated()) {
                    map.put(tx, key, value);
                    return true;
                  }
                  return false;
                });
    if (isKept && own.isOutdated()) {
      // A removal of an absent key writes nothing, so it may have committed before this put without
      // a conflict. It has said so before its commit, hence before this second look.
      boolean _ = transactions().call(tx -> map.remove(tx, key));
    }
  }

  @SuppressWarnings("unchecked") // a load of this cache has one of its values
  private @Nullable V result(CacheState.Load load) {
    Throwable failure = load.failure();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    return (V) load.value();
  }

  private ByteBuffer bytes(K key) {
    return ByteBuffer.wrap(map.keyCodec().encoding(key));
  }

  /**
   * Returns the value of a key, and puts what a function returns if there is none, all within a
   * transaction: the way to cache what is made of other data of the same store.
   *
   * @param function from the key to its value; null if it has none. It runs again with the body
   */
  public @Nullable V get(Tx tx, K key, Function<? super K, ? extends @Nullable V> function) {
    V found = get(tx, key);
    if (found != null) {
      return found;
    }
    V made = function.apply(key);
    if (made != null) {
      state.loads.increment();
      put(tx, key, made);
    }
    return made;
  }

  /**
   * Returns the values of those keys that have one, in the order of the keys, as of one moment.
   *
   * @return a new map, which belongs to the caller
   */
  public Map<K, V> getAll(Collection<? extends K> keys) {
    List<K> due = new ArrayList<>();
    Map<K, V> found =
        transactions()
            .read(
                tx -> {
                  due.clear();
                  Words words = map.words(tx);
                  Map<K, V> all = new LinkedHashMap<>();
                  for (K key : keys) {
                    V value = found(words, key);
                    if (value != null) {
                      all.put(key, value);
                      if (isProlongedNow(words, key)) {
                        due.add(key);
                      }
                    }
                  }
                  return all;
                });
    prolong(due);
    return found;
  }

  /** Returns whether a key has a value; counts as no use. */
  public boolean containsKey(K key) {
    return transactions().read(tx -> map.containsKey(tx, key));
  }

  /** Returns whether a key has a value; counts as no use. */
  public boolean containsKey(Tx tx, K key) {
    return map.containsKey(tx, key);
  }

  // ---- Changes.

  /**
   * Gives a key a value, in place of any other.
   *
   * @throws EntryTooLargeException if the entry alone is heavier than the bound
   */
  public void put(K key, V value) {
    changed(key);
    boolean _ =
        transactions()
            .call(
                tx -> {
                  map.put(tx, key, value);
                  return true;
                });
    changed(key);
  }

  /** Lets no load keep a value for a key that is changed at the moment. */
  private void changed(K key) {
    if (state.isLoading()) {
      state.changed(bytes(key));
    }
  }

  /** Gives a key a value within a transaction; see {@link #put(Object, Object)}. */
  public void put(Tx tx, K key, V value) {
    map.put(tx, key, value);
    changed(tx, key);
  }

  /**
   * Gives a key a value for a time, within a transaction.
   *
   * @param duration as in {@link EntryExpiry#put}; {@link EntryExpiry#FOREVER} for ever
   * @throws IllegalArgumentException if the cache was opened without an expiry
   */
  public void put(Tx tx, K key, V value, Duration duration) {
    map.expiry().put(tx, key, value, duration);
    changed(tx, key);
  }

  /**
   * Gives a key a value until a moment, within a transaction.
   *
   * @param at as in {@link EntryExpiry#putUntil}; {@link Instant#MAX} for ever
   * @throws IllegalArgumentException if the cache was opened without an expiry
   */
  public void putUntil(Tx tx, K key, V value, Instant at) {
    map.expiry().putUntil(tx, key, value, at);
    changed(tx, key);
  }

  /**
   * Lets an entry expire so long from now on, whatever it was before. Its value stays.
   *
   * @param duration as in {@link EntryExpiry#put}
   * @return whether there is such an entry
   * @throws IllegalArgumentException if the cache was opened without an expiry
   */
  public boolean touch(Tx tx, K key, Duration duration) {
    return map.expiry().touch(tx, key, duration);
  }

  /**
   * Returns when an entry expires: {@link Instant#MAX} for never; null if there is none.
   *
   * @throws IllegalArgumentException if the cache was opened without an expiry
   */
  public @Nullable Instant expiresAt(Tx tx, K key) {
    return map.expiry().expiresAt(tx, key);
  }

  /**
   * Removes the entry of a key if it has expired, and returns whether it did. Such an entry is in
   * no result, and without this call the store removes it some time later.
   *
   * @throws IllegalArgumentException if the cache was opened without an expiry
   */
  public boolean removeExpired(Tx tx, K key) {
    return map.removeIfExpired(map.words(tx), key);
  }

  /**
   * Sets what is called with each entry that had expired and was removed: by the store in the
   * background, to make room, or by {@link #removeExpired}. It is called after the commit, in the
   * thread of the transaction, maybe before the transaction is durable, and not after a kill that
   * comes first. It must return soon and not use the store; what it throws is lost. An entry that
   * is put again after it has expired is replaced, and not told of.
   *
   * @param listener in place of the one before, also of other handles of the cache; null for none
   */
  @SuppressWarnings("unchecked") // the cache has such keys and values only
  public void onExpiry(@Nullable BiConsumer<? super K, ? super V> listener) {
    state.expiryListener((BiConsumer<Object, Object>) listener);
  }

  /** Lets no load keep a value for a key that this transaction has changed. */
  private void changed(Tx tx, K key) {
    ByteBuffer bytes = bytes(key);
    state.changed(bytes);
    tx.onCommit(() -> state.changed(bytes));
  }

  /**
   * Removes a key.
   *
   * @return whether it was there
   */
  public boolean remove(K key) {
    changed(key);
    boolean isRemoved = transactions().call(tx -> map.remove(tx, key));
    changed(key);
    return isRemoved;
  }

  /** Removes a key within a transaction; see {@link #remove(Object)}. */
  public boolean remove(Tx tx, K key) {
    boolean isRemoved = map.remove(tx, key);
    changed(tx, key);
    return isRemoved;
  }

  /** Removes all entries, in several transactions if there are many. */
  public void clear() {
    state.allChanged();
    long position = 0;
    do {
      long from = position;
      position = transactions().call(tx -> map.clear(tx, from, CLEARED_AT_ONCE));
    } while (position != 0);
    state.policy().clear();
    state.allChanged();
  }

  // ---- Encodings.

  /** Returns the bytes that stand for a key in the store: equal keys have equal bytes. */
  public byte[] encodedKey(K key) {
    return map.keyCodec().encoding(key);
  }

  /**
   * Returns the bytes that stand for the value of a key, or null; counts as no use. They tell
   * whether the value has changed, also if its class has no {@code equals}.
   */
  public byte @Nullable [] encodedValue(Tx tx, K key) {
    return map.encodedValue(map.words(tx), key);
  }

  // ---- All entries.

  /**
   * Calls a function with some entries, and returns where to go on; counts as no use. See {@link
   * PersistentMap#walk}.
   */
  public long walk(Tx tx, long position, int entries, BiConsumer<? super K, ? super V> function) {
    return map.walk(tx, position, entries, function);
  }

  /** Returns all entries, in no order; counts as no use. */
  public Stream<Map.Entry<K, V>> entries(Tx tx) {
    return map.entries(tx);
  }

  /** Counts the entries that take memory, expired or not, in constant time. */
  public long size(Tx tx) {
    return map.storedEntries(map.words(tx));
  }

  /** Returns what all entries weigh, expired or not; see {@link CacheOptions#ofBytes}. */
  public long bytes(Tx tx) {
    return bound.usedBytes(map.words(tx));
  }

  /** Returns what all entries may weigh, as the store has it. */
  public long maxBytes(Tx tx) {
    return bound.maxBytes(map.words(tx));
  }

  /** Returns how many entries there may be, as the store has it. */
  public long maxEntries(Tx tx) {
    return bound.maxEntries(map.words(tx));
  }

  /** Returns what the cache has done since its store was opened. */
  public CacheStatistics statistics() {
    long evicted = transactions().read(tx -> bound.evictions(map.words(tx)));
    return new CacheStatistics(
        state.hits.sum(),
        state.misses.sum(),
        state.loads.sum(),
        state.failedLoads.sum(),
        evicted - evictedBefore,
        state.expiries.sum());
  }

  /**
   * Returns what reads the changes of the cache, and calls listeners with them. An eviction is one.
   *
   * @throws IllegalArgumentException if the cache has no {@link ChangeJournal}
   */
  public Changes<K, V> changes() {
    return map.changes();
  }

  /** The map with the entries, for tests of the account. */
  PersistentMap<K, V> map() {
    return map;
  }

  /** Returns what it is, and its name. */
  @Override
  public String toString() {
    return map.toString();
  }
}

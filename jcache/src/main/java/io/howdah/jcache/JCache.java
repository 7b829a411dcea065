package io.howdah.jcache;

import io.howdah.Store;
import io.howdah.collections.PersistentCache;
import io.howdah.txn.Tx;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.Factory;
import javax.cache.event.EventType;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CompletionListener;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;
import org.jspecify.annotations.Nullable;

/**
 * A cache of a store by the interface of JSR 107.
 *
 * <p>An operation on an entry looks at its value, decides, and acts, by {@link #operate}. Without a
 * writer this is one transaction. With one, and for entry processors, the decision and the call of
 * the writer come between a transaction that reads and one that acts; the second begins anew if the
 * entry is not as the first has seen it. So code of the program is in no transaction, and the
 * effect is as if all of it had happened at the second one.
 *
 * <p>Thread-safe.
 */
final class JCache<K, V> implements Cache<K, V> {

  private static final int ENTRIES_AT_ONCE = 64;

  private final HowdahCacheManager manager;
  private final Store store;
  private final PersistentCache<K, V> cache;
  private final HowdahConfiguration<K, V> configuration; // guarded by this
  private final ExpiryRules rules;
  private final Loader<K, V> loader;
  private final Writer<K, V> writer;
  private final boolean readsThrough;
  private final KeyLocks locks = new KeyLocks();
  private final Listeners<K, V> listeners = new Listeners<>(this);
  private final Statistics statistics;
  private final ConfigurationBean management;
  private final Beans beans;
  private volatile boolean tellsExpired;
  private volatile boolean isClosed;

  JCache(
      HowdahCacheManager manager,
      PersistentCache<K, V> cache,
      HowdahConfiguration<K, V> configuration) {
    this.manager = manager;
    this.store = manager.store();
    this.cache = cache;
    this.configuration = configuration;
    this.rules = new ExpiryRules(configuration.getExpiryPolicyFactory().create());
    Factory<CacheLoader<K, V>> loaders = configuration.getCacheLoaderFactory();
    this.loader = new Loader<>(loaders == null ? null : loaders.create());
    Factory<CacheWriter<? super K, ? super V>> writers = configuration.getCacheWriterFactory();
    boolean isWritten = writers != null && configuration.isWriteThrough();
    this.writer = Writer.of(isWritten ? writers.create() : null);
    this.readsThrough = configuration.isReadThrough() && loader.isThere();
    this.statistics = new Statistics(cache::statistics);
    this.management = new ConfigurationBean(this::copyOfConfiguration);
    this.beans = new Beans(manager.getURI(), cache.name());
    for (CacheEntryListenerConfiguration<K, V> each :
        configuration.getCacheEntryListenerConfigurations()) {
      register(each);
    }
    enableManagement(configuration.isManagementEnabled());
    enableStatistics(configuration.isStatisticsEnabled());
  }

  // ---- One entry.

  /** What an operation decides, from the value of a key or null. */
  private interface Deciding<V, R> {
    Decision<V, R> decide(@Nullable V found);
  }

  /** A change that the last attempt of a transaction has made. */
  private record Changed<V>(EventType type, V value, @Nullable V oldValue) {}

  /** What the last attempt of a transaction has done. */
  private static final class Outcome<V, R> {
    private final List<Changed<V>> changes = new ArrayList<>();
    private @Nullable Decision<V, R> decision;
    private boolean isFound;
    private boolean isStale;

    void begin() {
      changes.clear();
      decision = null;
      isFound = false;
      isStale = false;
    }
  }

  private ByteBuffer encoded(K key) {
    return ByteBuffer.wrap(cache.encodedKey(Checks.nonNull(key, "key")));
  }

  private <R> @Nullable R operate(K key, Deciding<V, R> deciding) {
    return operate(key, deciding, writer.isThere());
  }

  /**
   * Runs an operation on an entry.
   *
   * @param inTwo whether the decision calls code of the program, or a writer follows it
   */
  private <R> @Nullable R operate(K key, Deciding<V, R> deciding, boolean inTwo) {
    requireOpen();
    ByteBuffer bytes = encoded(key);
    Told.Failures failures = EventQueue.isTelling() ? null : new Told.Failures();
    Outcome<V, R> outcome;
    locks.lock(bytes);
    try {
      outcome = inTwo ? inTwo(key, deciding) : inOne(key, deciding);
      add(outcome, key, bytes, failures);
    } finally {
      locks.unlock(bytes);
    }
    return end(outcome, bytes, failures);
  }

  private <R> Outcome<V, R> inOne(K key, Deciding<V, R> deciding) {
    Outcome<V, R> outcome = new Outcome<>();
    store.run(
        tx -> {
          outcome.begin();
          V found = find(tx, key);
          act(tx, key, found, deciding.decide(found), outcome);
        });
    return outcome;
  }

  /** What a transaction has seen. */
  private static final class Seen<V> {
    private @Nullable V value;

    /** The encoded value: it tells whether that is still the same. */
    private byte @Nullable [] bytes;
  }

  private <R> Outcome<V, R> inTwo(K key, Deciding<V, R> deciding) {
    Outcome<V, R> outcome = new Outcome<>();
    do {
      Seen<V> seen = new Seen<>();
      store.run(
          tx -> {
            seen.value = find(tx, key);
            seen.bytes = cache.encodedValue(tx, key);
          });
      Decision<V, R> decision = deciding.decide(seen.value);
      if (decision.isWritten()) {
        write(key, decision);
      }
      store.run(
          tx -> {
            outcome.begin();
            outcome.isStale =
                decision.action() != Action.NOTHING
                    && !Arrays.equals(cache.encodedValue(tx, key), seen.bytes);
            if (!outcome.isStale) {
              act(tx, key, seen.value, decision, outcome);
            }
          });
    } while (outcome.isStale);
    return outcome;
  }

  private void write(K key, Decision<V, ?> decision) {
    switch (decision.action()) {
      case PUT -> writer.write(key, Objects.requireNonNull(decision.value()));
      case REMOVE -> writer.delete(key);
      case ACCESS, NOTHING -> {}
    }
  }

  /** Returns the value of a key, or null; removes what has expired, if listeners are told of it. */
  private @Nullable V find(Tx tx, K key) {
    V found = cache.get(tx, key);
    if (found == null && tellsExpired) {
      boolean _ = cache.removeExpired(tx, key);
    }
    return found;
  }

  private <R> void act(
      Tx tx, K key, @Nullable V found, Decision<V, R> decision, Outcome<V, R> outcome) {
    outcome.decision = decision;
    outcome.isFound = found != null;
    switch (decision.action()) {
      case PUT -> {
        V value = Objects.requireNonNull(decision.value());
        if (found == null) {
          create(tx, key, value, outcome.changes);
        } else {
          update(tx, key, value, found, outcome.changes);
        }
      }
      case REMOVE -> {
        if (found != null) {
          boolean _ = cache.remove(tx, key);
          outcome.changes.add(new Changed<>(EventType.REMOVED, found, found));
        }
      }
      case ACCESS -> {
        if (found != null) {
          access(tx, key, found, rules.ofAccess(), outcome.changes);
        }
      }
      case NOTHING -> {}
    }
  }

  private void create(Tx tx, K key, V value, List<Changed<V>> changes) {
    Duration lives = rules.ofCreation();
    if (!lives.isZero()) { // else it has expired before it was there
      cache.put(tx, key, value, lives);
      changes.add(new Changed<>(EventType.CREATED, value, null));
    }
  }

  private void update(Tx tx, K key, V value, V found, List<Changed<V>> changes) {
    Duration lives = rules.ofUpdate();
    changes.add(new Changed<>(EventType.UPDATED, value, found));
    if (lives == null) {
      Instant until = cache.expiresAt(tx, key);
      cache.putUntil(tx, key, value, until == null ? Instant.MAX : until);
    } else if (lives.isZero()) {
      boolean _ = cache.remove(tx, key);
      changes.add(new Changed<>(EventType.EXPIRED, value, value));
    } else {
      cache.put(tx, key, value, lives);
    }
  }

  /** Lets an entry expire so long after an access; null to leave that as it is. */
  private void access(Tx tx, K key, V found, @Nullable Duration lives, List<Changed<V>> changes) {
    if (lives != null && lives.isZero()) {
      boolean _ = cache.remove(tx, key);
      changes.add(new Changed<>(EventType.EXPIRED, found, found));
    } else if (lives != null) {
      boolean _ = cache.touch(tx, key, lives);
    }
  }

  /** Adds the changes for listeners, while the key is locked. */
  private void add(
      Outcome<V, ?> outcome, K key, ByteBuffer bytes, Told.@Nullable Failures failures) {
    if (!listeners.isEmpty()) {
      for (Changed<V> each : outcome.changes) {
        listeners.add(each.type(), key, each.value(), each.oldValue(), bytes.hashCode(), failures);
      }
    }
  }

  /** Counts the operation and tells listeners, once the key is free. */
  private <R> @Nullable R end(
      Outcome<V, R> outcome, ByteBuffer bytes, Told.@Nullable Failures failures) {
    Decision<V, R> decision = Objects.requireNonNull(outcome.decision);
    if (decision.isLookUp()) {
      statistics.looked(outcome.isFound);
    }
    if (decision.action() == Action.PUT && decision.isWritten()) {
      statistics.put(outcome.changes.isEmpty() ? 0 : 1); // 0: it has expired at once
    } else if (decision.action() == Action.REMOVE && outcome.isFound) {
      statistics.removed(1);
    }
    tell(bytes, failures);
    return decision.result();
  }

  private void tell(ByteBuffer bytes, Told.@Nullable Failures failures) {
    if (!listeners.isEmpty()) {
      listeners.tell(bytes.hashCode());
      if (failures != null) {
        failures.rethrow();
      }
    }
  }

  // ---- Look-ups.

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations, and null for no value
  public V get(K key) {
    requireOpen();
    long begun = statistics.begin();
    V value = getOrLoad(Checks.nonNull(key, "key"));
    statistics.timeOfGet(begun);
    return value;
  }

  private @Nullable V getOrLoad(K key) {
    V found = cache.get(key);
    if (found != null) {
      statistics.looked(true);
      return accessed(key, found);
    }
    if (!readsThrough) {
      statistics.looked(false);
      tellIfExpired(key);
      return null;
    }
    return operate(
        key,
        present -> {
          if (present != null) { // another thread has loaded it since this one has looked
            return Decision.access(present);
          }
          V loaded = loader.load(key);
          return loaded == null
              ? Decision.nothing(null)
              : new Decision<>(Action.PUT, loaded, loaded, true, false);
        },
        true);
  }

  /** Lets an entry expire as its policy says after an access; returns the value that was found. */
  private V accessed(K key, V found) {
    Duration lives = rules.ofAccess();
    if (lives == null) {
      return found;
    }
    ByteBuffer bytes = encoded(key);
    Told.Failures failures = EventQueue.isTelling() ? null : new Told.Failures();
    Outcome<V, V> outcome = new Outcome<>();
    locks.lock(bytes);
    try {
      store.run(
          tx -> {
            outcome.begin();
            V present = cache.get(tx, key);
            if (present == null) {
              outcome.decision = Decision.nothing(found); // it has gone since it was found
            } else {
              outcome.decision = Decision.access(present);
              access(tx, key, present, lives, outcome.changes);
            }
          });
      add(outcome, key, bytes, failures);
    } finally {
      locks.unlock(bytes);
    }
    tell(bytes, failures);
    V present = Objects.requireNonNull(outcome.decision).result();
    return present == null ? found : present;
  }

  /** Removes the entry of a key if it has expired, and tells of it. */
  private void tellIfExpired(K key) {
    if (tellsExpired) {
      boolean isRemoved = store.call(tx -> cache.removeExpired(tx, key));
      if (isRemoved) {
        tell(encoded(key), null);
      }
    }
  }

  @Override
  public Map<K, V> getAll(Set<? extends K> keys) {
    requireOpen();
    Checks.noNulls(keys, "keys");
    long begun = statistics.begin();
    Map<K, V> all = new LinkedHashMap<>();
    for (K key : keys) {
      V value = getOrLoad(key);
      if (value != null) {
        all.put(key, value);
      }
    }
    statistics.timeOfGet(begun);
    return all;
  }

  @Override
  public boolean containsKey(K key) {
    requireOpen();
    return cache.containsKey(Checks.nonNull(key, "key"));
  }

  // ---- Puts.

  @Override
  public void put(K key, V value) {
    requireOpen();
    V checked = Checks.nonNull(value, "value");
    long begun = statistics.begin();
    Object _ = operate(key, _ -> Decision.put(checked, null, false));
    statistics.timeOfPut(begun);
  }

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations, and null for no value
  public V getAndPut(K key, V value) {
    requireOpen();
    V checked = Checks.nonNull(value, "value");
    long begun = statistics.begin();
    V former = operate(key, found -> Decision.put(checked, found, true));
    statistics.timeOfGet(begun);
    statistics.timeOfPut(begun);
    return former;
  }

  @Override
  public boolean putIfAbsent(K key, V value) {
    requireOpen();
    V checked = Checks.nonNull(value, "value");
    long begun = statistics.begin();
    boolean isPut =
        isTrue(
            operate(
                key,
                found ->
                    found == null ? Decision.put(checked, true, true) : Decision.nothing(false)));
    statistics.timeOfPut(begun);
    return isPut;
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> map) {
    requireOpen();
    Checks.noNulls(Checks.nonNull(map, "map").keySet(), "keys");
    Checks.noNulls(map.values(), "values");
    long begun = statistics.begin();
    if (writer.isThere()) {
      List<Cache.Entry<? extends K, ? extends V>> entries = new ArrayList<>();
      map.forEach((key, value) -> entries.add(new KeyValue<K, V>(key, value)));
      Map<K, V> all = new LinkedHashMap<>(map);
      withKeys(
          all.keySet(),
          () -> {
            RuntimeException failure = writer.writeAll(entries);
            entries.forEach(unwritten -> all.remove(unwritten.getKey()));
            if (failure == null) {
              all.clear();
              all.putAll(map);
            }
            return failure;
          },
          key -> {
            V value = all.get(key);
            return value == null ? null : inOne(key, _ -> Decision.put(value, null, false));
          });
    } else {
      map.forEach((key, value) -> operate(key, _ -> Decision.put(value, null, false)));
    }
    statistics.timeOfPut(begun);
  }

  /** Calls a writer or loader for several keys. */
  private interface Call {
    @Nullable RuntimeException run();
  }

  /**
   * Locks keys, calls code of the program, and then acts on each key; throws what the call has
   * returned, and what listeners throw.
   *
   * @param action returns null for a key on which it does not act
   */
  private void withKeys(Set<K> keys, Call call, Function<K, @Nullable Outcome<V, Object>> action) {
    Told.Failures failures = EventQueue.isTelling() ? null : new Told.Failures();
    Map<ByteBuffer, K> encoded = new LinkedHashMap<>();
    keys.forEach(key -> encoded.put(encoded(key), key));
    List<ByteBuffer> locked = List.copyOf(encoded.keySet());
    Map<ByteBuffer, Outcome<V, Object>> outcomes = new LinkedHashMap<>();
    RuntimeException failure;
    locks.lockAll(locked);
    try {
      failure = call.run();
      encoded.forEach(
          (bytes, key) -> {
            Outcome<V, Object> outcome = action.apply(key);
            if (outcome != null) {
              outcomes.put(bytes, outcome);
              add(outcome, key, bytes, failures);
            }
          });
    } finally {
      locks.unlockAll(locked);
    }
    outcomes.forEach((bytes, outcome) -> end(outcome, bytes, null));
    if (failure != null) {
      throw failure;
    }
    if (failures != null) {
      failures.rethrow();
    }
  }

  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    requireOpen();
    V checked = Checks.nonNull(newValue, "new value");
    long begun = statistics.begin();
    boolean isReplaced = actIfItIs(key, oldValue, Decision.put(checked, true, true));
    statistics.timeOfGet(begun);
    statistics.timeOfPut(isReplaced ? begun : 0);
    return isReplaced;
  }

  /** Acts on an entry if it has a value; if it has another one, that is an access. */
  private boolean actIfItIs(K key, V value, Decision<V, Boolean> decision) {
    Object _ = Checks.nonNull(key, "key");
    V expected = Checks.nonNull(value, "old value");
    return isTrue(
        operate(
            key,
            found ->
                found == null
                    ? Decision.nothing(false)
                    : Objects.deepEquals(found, expected) ? decision : Decision.access(false)));
  }

  @Override
  public boolean replace(K key, V value) {
    return getAndReplace(key, value) != null;
  }

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations, and null for no value
  public V getAndReplace(K key, V value) {
    requireOpen();
    V checked = Checks.nonNull(value, "value");
    long begun = statistics.begin();
    V former =
        operate(
            key,
            found -> found == null ? Decision.nothing(null) : Decision.put(checked, found, true));
    statistics.timeOfGet(begun);
    statistics.timeOfPut(former == null ? 0 : begun);
    return former;
  }

  private static boolean isTrue(@Nullable Boolean result) {
    return Boolean.TRUE.equals(result);
  }

  // ---- Removals.

  @Override
  public boolean remove(K key) {
    requireOpen();
    long begun = statistics.begin();
    boolean isRemoved = isTrue(operate(key, found -> Decision.remove(found != null, false)));
    statistics.timeOfRemoval(isRemoved ? begun : 0);
    return isRemoved;
  }

  @Override
  public boolean remove(K key, V oldValue) {
    requireOpen();
    long begun = statistics.begin();
    boolean isRemoved = actIfItIs(key, oldValue, Decision.remove(true, true));
    statistics.timeOfGet(begun);
    statistics.timeOfRemoval(isRemoved ? begun : 0);
    return isRemoved;
  }

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations, and null for no value
  public V getAndRemove(K key) {
    requireOpen();
    long begun = statistics.begin();
    V former = operate(key, found -> Decision.remove(found, true));
    statistics.timeOfGet(begun);
    statistics.timeOfRemoval(former == null ? 0 : begun);
    return former;
  }

  @Override
  public void removeAll(Set<? extends K> keys) {
    requireOpen();
    Checks.noNulls(keys, "keys");
    long begun = statistics.begin();
    Set<K> all = new LinkedHashSet<>(keys);
    if (writer.isThere()) {
      removeAllWritten(all);
    } else {
      all.forEach(key -> operate(key, _ -> Decision.remove(null, false)));
    }
    statistics.timeOfRemoval(begun);
  }

  private void removeAllWritten(Set<K> all) {
    List<K> left = new ArrayList<>(all);
    Set<K> deleted = new LinkedHashSet<>();
    withKeys(
        all,
        () -> {
          RuntimeException failure = writer.deleteAll(left);
          deleted.addAll(all);
          if (failure != null) {
            left.forEach(deleted::remove);
          }
          return failure;
        },
        key ->
            deleted.contains(key)
                ? inOne(key, _ -> Decision.<V, Object>remove(null, false))
                : null);
  }

  @Override
  public void removeAll() {
    requireOpen();
    long begun = statistics.begin();
    Set<K> keys = new LinkedHashSet<>();
    long position = 0;
    do {
      position = walk(position, (key, _) -> keys.add(key));
      if (keys.size() >= ENTRIES_AT_ONCE * ENTRIES_AT_ONCE || position == 0) {
        if (!keys.isEmpty()) {
          removeAll(keys);
        }
        keys.clear();
      }
    } while (position != 0);
    statistics.timeOfRemoval(begun);
  }

  @Override
  public void clear() {
    requireOpen();
    cache.clear();
  }

  // ---- Loads.

  @Override
  public void loadAll(
      Set<? extends K> keys,
      boolean replaceExistingValues,
      @Nullable CompletionListener completionListener) {
    requireOpen();
    Checks.noNulls(keys, "keys");
    Set<K> all = new LinkedHashSet<>(keys);
    Runnable load =
        () -> {
          try {
            if (loader.isThere()) {
              loadAll(all, replaceExistingValues);
            }
          } catch (Throwable t) { // whatever it is, or who waits for the listener waits for ever
            if (completionListener != null) {
              completionListener.onException(
                  t instanceof Exception e
                      ? e
                      : new CacheLoaderException("the loader failed to load: " + t, t));
            }
            if (t instanceof Error error) {
              throw error; // also to the handler of uncaught ones
            }
            return;
          }
          if (completionListener != null) {
            completionListener.onCompletion();
          }
        };
    Thread _ = Thread.startVirtualThread(load);
  }

  private void loadAll(Set<K> keys, boolean replacesValues) {
    Map<K, V> loaded = new LinkedHashMap<>();
    withKeys(
        keys,
        () -> {
          List<K> wanted =
              keys.stream().filter(key -> replacesValues || !cache.containsKey(key)).toList();
          loaded.putAll(loader.loadAll(wanted));
          return null;
        },
        key -> {
          V value = loaded.get(key);
          return value == null
              ? null
              : inOne(key, _ -> new Decision<V, Object>(Action.PUT, value, null, false, false));
        });
  }

  // ---- Entry processors.

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations; a processor may return null
  public <T> T invoke(K key, EntryProcessor<K, V, T> entryProcessor, Object... arguments) {
    requireOpen();
    Object _ = Checks.nonNull(key, "key");
    EntryProcessor<K, V, T> processor = Checks.nonNull(entryProcessor, "entry processor");
    long begun = statistics.begin();
    T result = operate(key, found -> process(key, found, processor, arguments), true);
    statistics.timeOfGet(begun);
    return result;
  }

  private <T> Decision<V, T> process(
      K key, @Nullable V found, EntryProcessor<K, V, T> processor, Object... arguments) {
    ProcessedEntry<K, V> entry =
        new ProcessedEntry<>(key, found, missing -> readsThrough ? loader.load(missing) : null);
    try {
      return entry.decision(processor.process(entry, arguments));
    } catch (CacheException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new EntryProcessorException("the entry processor failed with " + e, e);
    }
  }

  @Override
  public <T> Map<K, EntryProcessorResult<T>> invokeAll(
      Set<? extends K> keys, EntryProcessor<K, V, T> entryProcessor, Object... arguments) {
    requireOpen();
    Checks.noNulls(keys, "keys");
    EntryProcessor<K, V, T> processor = Checks.nonNull(entryProcessor, "entry processor");
    Map<K, EntryProcessorResult<T>> results = new LinkedHashMap<>();
    for (K key : keys) {
      try {
        T result = invoke(key, processor, arguments);
        if (result != null) {
          results.put(key, () -> result);
        }
      } catch (RuntimeException e) {
        EntryProcessorException failure =
            e instanceof EntryProcessorException own ? own : new EntryProcessorException(e);
        results.put(
            key,
            () -> {
              throw failure;
            });
      }
    }
    return results;
  }

  // ---- All entries.

  private long walk(long position, BiConsumer<K, V> function) {
    List<KeyValue<K, V>> entries = new ArrayList<>();
    long next =
        store.read(
            tx -> {
              entries.clear();
              return cache.walk(
                  tx,
                  position,
                  ENTRIES_AT_ONCE,
                  (key, value) -> entries.add(new KeyValue<>(key, value)));
            });
    entries.forEach(entry -> function.accept(entry.key(), entry.value()));
    return next;
  }

  @Override
  public Iterator<Cache.Entry<K, V>> iterator() {
    requireOpen();
    return new Entries();
  }

  /** Goes through the entries, some in each transaction. */
  private final class Entries implements Iterator<Cache.Entry<K, V>> {
    private final List<KeyValue<K, V>> read = new ArrayList<>();
    private int shown;
    private long position;
    private boolean hasBegun;
    private @Nullable K last;

    @Override
    public boolean hasNext() {
      while (shown == read.size() && (position != 0 || !hasBegun)) {
        requireOpen();
        hasBegun = true;
        read.clear();
        shown = 0;
        position = walk(position, (key, value) -> read.add(new KeyValue<>(key, value)));
      }
      return shown < read.size();
    }

    @Override
    public Cache.Entry<K, V> next() {
      if (!hasNext()) {
        throw new NoSuchElementException("there are no more entries in cache " + getName());
      }
      requireOpen();
      long begun = statistics.begin();
      KeyValue<K, V> entry = read.get(shown);
      shown++;
      last = entry.key();
      statistics.looked(true);
      V _ = accessed(entry.key(), entry.value());
      statistics.timeOfGet(begun);
      return entry;
    }

    @Override
    public void remove() {
      K key = last;
      if (key == null) {
        throw new IllegalStateException("next has not been called since the last removal");
      }
      last = null;
      boolean _ = JCache.this.remove(key);
    }
  }

  // ---- Configuration and state.

  Statistics statistics() {
    return statistics;
  }

  /** Returns how many keys are locked, for tests. */
  int lockedKeys() {
    return locks.size();
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("cache " + cache.name() + " is closed");
    }
  }

  @Override
  public String getName() {
    return cache.name();
  }

  @Override
  public CacheManager getCacheManager() {
    return manager;
  }

  private synchronized HowdahConfiguration<K, V> copyOfConfiguration() {
    return new HowdahConfiguration<>(configuration);
  }

  /** Returns whether the configuration names other types than these. */
  synchronized boolean isOf(Class<?> keys, Class<?> values) {
    return configuration.getKeyType().equals(keys) && configuration.getValueType().equals(values);
  }

  /** Returns the types of the configuration, for messages. */
  synchronized String types() {
    return configuration.getKeyType().getName() + " and " + configuration.getValueType().getName();
  }

  @Override
  public <C extends Configuration<K, V>> C getConfiguration(Class<C> type) {
    return Unwrapping.unwrap(type, copyOfConfiguration());
  }

  @Override
  public synchronized void registerCacheEntryListener(
      CacheEntryListenerConfiguration<K, V> listener) {
    requireOpen();
    var _ = configuration.addCacheEntryListenerConfiguration(Checks.nonNull(listener, "listener"));
    register(listener);
  }

  private void register(CacheEntryListenerConfiguration<K, V> listener) {
    listeners.register(listener);
    if (!tellsExpired && listeners.wants(EventType.EXPIRED)) {
      cache.onExpiry(this::addExpired);
      tellsExpired = true;
    }
  }

  /** Adds the expiry of an entry, in the thread of the transaction that has removed it. */
  private void addExpired(K key, V value) {
    int hash = encoded(key).hashCode();
    listeners.add(EventType.EXPIRED, key, value, value, hash, null);
    listeners.tellInBackground();
  }

  @Override
  public synchronized void deregisterCacheEntryListener(
      CacheEntryListenerConfiguration<K, V> listener) {
    requireOpen();
    var _ =
        configuration.removeCacheEntryListenerConfiguration(Checks.nonNull(listener, "listener"));
    try {
      boolean _ = listeners.deregister(listener);
    } catch (IOException e) {
      throw new CacheException("a listener of cache " + getName() + " cannot be closed", e);
    }
  }

  synchronized void enableStatistics(boolean isWanted) {
    requireOpen();
    statistics.enable(isWanted);
    var _ = configuration.setStatisticsEnabled(isWanted);
    beans.statistics(statistics, isWanted);
  }

  synchronized void enableManagement(boolean isWanted) {
    requireOpen();
    var _ = configuration.setManagementEnabled(isWanted);
    beans.configuration(management, isWanted);
  }

  @Override
  public boolean isClosed() {
    return isClosed;
  }

  /**
   * Closes the cache, its loader, writer, policy and listeners. Its entries stay in the store.
   *
   * @throws CacheException if one of these cannot be closed; all others are closed all the same
   */
  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    manager.release(this);
    cache.onExpiry(null);
    beans.statistics(statistics, false);
    beans.configuration(management, false);
    List<Exception> failures = new ArrayList<>();
    for (Object part : Arrays.asList(loader.loader(), writer.writer(), rules.policy())) {
      if (part instanceof Closeable closeable) {
        try {
          closeable.close();
        } catch (IOException | RuntimeException e) {
          failures.add(e);
        }
      }
    }
    listeners.close(failures);
    if (!failures.isEmpty()) {
      CacheException failure =
          new CacheException("not all parts of cache " + getName() + " could be closed");
      failures.forEach(failure::addSuppressed);
      throw failure;
    }
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return Unwrapping.unwrap(type, this, cache);
  }

  @Override
  public String toString() {
    return cache.toString();
  }
}

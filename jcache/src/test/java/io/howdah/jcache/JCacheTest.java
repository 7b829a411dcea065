package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentCache;
import io.howdah.testkit.SettableClock;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.FactoryBuilder;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import javax.cache.integration.CompletionListenerFuture;
import javax.cache.processor.EntryProcessorException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the compatibility kit does not ask: concurrency, restarts, bounds, and mistakes. */
@Timeout(60)
final class JCacheTest {

  private static final int THREADS = 4;

  private final SettableClock clock = new SettableClock();
  private final Store store =
      Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20).withClock(clock));
  private final HowdahCacheManager manager = HowdahCacheManager.of(store);
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  @TempDir private Path folder;

  @AfterEach
  void close() {
    threads.shutdownNow();
    manager.close();
    store.close();
  }

  private static HowdahConfiguration<Long, String> configuration() {
    return new HowdahConfiguration<>(Long.class, String.class);
  }

  private Cache<Long, String> open(MutableConfiguration<Long, String> configuration) {
    return manager.createCache("cache", configuration);
  }

  private void inThreads(Consumer<Integer> work) throws InterruptedException, ExecutionException {
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      all.add(threads.submit(() -> work.accept(number)));
    }
    for (Future<?> each : all) {
      var _ = each.get();
    }
  }

  // ---- Entry processors.

  @Test
  void processorsOfOneKeyRunOneAfterTheOther() throws InterruptedException, ExecutionException {
    Cache<Long, Long> cache =
        manager.createCache("counts", new HowdahConfiguration<>(Long.class, Long.class));
    AtomicInteger calls = new AtomicInteger();
    inThreads(
        _ -> {
          for (int i = 0; i < 250; i++) {
            Long _ =
                cache.invoke(
                    i % 3L,
                    (entry, _) -> {
                      calls.incrementAndGet();
                      entry.setValue(entry.exists() ? entry.getValue() + 1 : 1);
                      return null;
                    });
          }
        });
    assertThat(cache.getAll(Set.of(0L, 1L, 2L)).values().stream().mapToLong(n -> n).sum())
        .isEqualTo(250 * THREADS);
    assertThat(calls).hasValue(250 * THREADS);
  }

  /** A transaction of the program knows nothing of the locks of keys. */
  @Test
  void aProcessorRunsAgainIfATransactionHasChangedTheEntryMeanwhile() {
    Cache<Long, String> cache = open(configuration());
    @SuppressWarnings("unchecked")
    PersistentCache<Long, String> own = cache.unwrap(PersistentCache.class);
    cache.put(1L, "a");
    AtomicInteger calls = new AtomicInteger();
    String result =
        cache.invoke(
            1L,
            (entry, _) -> {
              if (calls.incrementAndGet() == 1) {
                own.put(1L, "b");
              }
              entry.setValue(entry.getValue() + "!");
              return entry.getValue();
            });
    assertThat(result).isEqualTo("b!");
    assertThat(cache.get(1L)).isEqualTo("b!");
    assertThat(calls).hasValue(2);
    calls.set(0);
    Object _ =
        cache.invoke(
            1L,
            (entry, _) -> {
              if (calls.incrementAndGet() == 1) {
                boolean _ = own.remove(1L);
              }
              assertThat(entry.exists()).isEqualTo(calls.get() == 1);
              entry.setValue("c");
              return null;
            });
    assertThat(calls).hasValue(2);
  }

  @Test
  void aProcessorThatThrowsChangesNothing() {
    Cache<Long, String> cache = open(configuration());
    cache.put(1L, "a");
    assertThatThrownBy(
            () ->
                cache.invoke(
                    1L,
                    (entry, _) -> {
                      entry.setValue("b");
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(EntryProcessorException.class)
        .hasRootCauseMessage("no");
    assertThat(cache.get(1L)).isEqualTo("a");
  }

  /** The store is free while it runs: it may change other entries, and other caches. */
  @Test
  void aProcessorMayUseOtherKeysAndNotItsOwn() {
    Cache<Long, String> cache = open(configuration());
    Object _ =
        cache.invoke(
            1L,
            (entry, _) -> {
              cache.put(2L, "two");
              entry.setValue("one");
              return null;
            });
    assertThat(cache.getAll(Set.of(1L, 2L))).isEqualTo(Map.of(1L, "one", 2L, "two"));
    assertThatThrownBy(
            () ->
                cache.invoke(
                    1L,
                    (_, _) -> {
                      cache.put(1L, "again");
                      return null;
                    }))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the key that it is called for");
    cache.put(1L, "free again");
    assertThat(cache.get(1L)).isEqualTo("free again");
  }

  // ---- Loaders.

  /** A loader of one function. */
  private record Loading(Function<Long, @Nullable String> function)
      implements CacheLoader<Long, String> {
    @Override
    @SuppressWarnings("NullAway") // null for no value
    public String load(Long key) {
      return function.apply(key);
    }

    @Override
    public Map<Long, String> loadAll(Iterable<? extends Long> keys) {
      Map<Long, String> all = new HashMap<>();
      keys.forEach(key -> all.put(key, load(key)));
      return all;
    }
  }

  private static MutableConfiguration<Long, String> loading(
      Function<Long, @Nullable String> function) {
    return configuration()
        .setReadThrough(true)
        .setCacheLoaderFactory(new FactoryBuilder.SingletonFactory<>(new Loading(function)));
  }

  @Test
  void oneThreadLoadsAKeyAndTheOthersWait() throws InterruptedException, ExecutionException {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(THREADS);
    Cache<Long, String> cache =
        open(
            loading(
                key -> {
                  try {
                    all.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return key + " loaded " + calls.incrementAndGet();
                }));
    inThreads(
        _ -> {
          all.countDown();
          assertThat(cache.get(7L)).isEqualTo("7 loaded 1");
        });
    assertThat(calls).hasValue(1);
  }

  @Test
  void aLoadedValueDoesNotOvertakeAPutThatWaitsForIt()
      throws InterruptedException, ExecutionException {
    CountDownLatch isLoading = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Cache<Long, String> cache =
        open(
            loading(
                _ -> {
                  isLoading.countDown();
                  try {
                    mayEnd.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return "old";
                }));
    Future<String> get = threads.submit(() -> cache.get(1L));
    isLoading.await();
    Future<?> put = threads.submit(() -> cache.put(1L, "new"));
    mayEnd.countDown();
    var _ = put.get();
    assertThat(get.get()).isIn("old", "new");
    assertThat(cache.get(1L)).isEqualTo("new");
  }

  @Test
  void aLoaderThatThrowsOrHasNoValueKeepsNothing() {
    AtomicReference<@Nullable String> value = new AtomicReference<>();
    Cache<Long, String> cache =
        open(
            loading(
                key -> {
                  if (key < 0) {
                    throw new IllegalStateException("no source");
                  }
                  return value.get();
                }));
    assertThat(cache.get(1L)).isNull();
    assertThatThrownBy(() -> cache.get(-1L)).hasRootCauseMessage("no source");
    value.set("now");
    assertThat(cache.get(1L)).isEqualTo("now");
    assertThat(cache.containsKey(-1L)).isFalse();
    CompletionListenerFuture failed = new CompletionListenerFuture();
    cache.loadAll(Set.of(-1L, 5L), true, failed);
    assertThatThrownBy(failed::get).hasRootCauseMessage("no source");
    cache.put(6L, "old");
    CompletionListenerFuture done = new CompletionListenerFuture();
    cache.loadAll(Set.of(5L, 6L), false, done);
    assertThat(done).succeedsWithin(java.time.Duration.ofSeconds(30));
    assertThat(cache.getAll(Set.of(5L, 6L))).isEqualTo(Map.of(5L, "now", 6L, "old"));
  }

  // ---- Writers.

  /** A source of data that refuses negative keys. */
  private static final class Source implements CacheWriter<Long, String> {
    private final Map<Long, String> data = new ConcurrentHashMap<>();

    private static void require(Object key) {
      if ((Long) key < 0) {
        throw new IllegalArgumentException("refused " + key);
      }
    }

    @Override
    public void write(Cache.Entry<? extends Long, ? extends String> entry) {
      require(entry.getKey());
      data.put(entry.getKey(), entry.getValue());
    }

    @Override
    public void writeAll(Collection<Cache.Entry<? extends Long, ? extends String>> entries) {
      for (Iterator<Cache.Entry<? extends Long, ? extends String>> all = entries.iterator();
          all.hasNext(); ) {
        write(all.next());
        all.remove();
      }
    }

    @Override
    public void delete(Object key) {
      require(key);
      data.remove(key);
    }

    @Override
    public void deleteAll(Collection<?> keys) {
      for (Iterator<?> all = keys.iterator(); all.hasNext(); ) {
        delete(all.next());
        all.remove();
      }
    }
  }

  private static MutableConfiguration<Long, String> writing(Source source) {
    return configuration()
        .setWriteThrough(true)
        .setCacheWriterFactory(new FactoryBuilder.SingletonFactory<>(source));
  }

  @Test
  void whatTheWriterRefusesIsNotInTheCache() {
    Source source = new Source();
    Cache<Long, String> cache = open(writing(source));
    cache.put(1L, "one");
    assertThatThrownBy(() -> cache.put(-1L, "no"))
        .isInstanceOf(CacheWriterException.class)
        .hasRootCauseMessage("refused -1");
    assertThat(cache.containsKey(-1L)).isFalse();
    Map<Long, String> some = new java.util.LinkedHashMap<>();
    some.put(2L, "two");
    some.put(-2L, "no");
    some.put(3L, "three");
    assertThatThrownBy(() -> cache.putAll(some)).hasRootCauseMessage("refused -2");
    assertThat(cache.getAll(Set.of(1L, 2L, 3L, -2L)))
        .isEqualTo(source.data)
        .isEqualTo(Map.of(1L, "one", 2L, "two"));
    assertThat(cache.remove(1L, "not this")).isFalse();
    assertThat(cache.replace(1L, "not this", "other")).isFalse();
    assertThat(source.data).containsEntry(1L, "one");
    cache.removeAll();
    assertThat(source.data).isEmpty();
    assertThat(cache.iterator()).isExhausted();
  }

  /** The last call of the writer for a key is for the value that the cache has. */
  @Test
  void cacheAndSourceAgreeUnderThreads() throws InterruptedException, ExecutionException {
    Source source = new Source();
    Cache<Long, String> cache = open(writing(source));
    inThreads(
        number -> {
          for (int i = 0; i < 200; i++) {
            long key = i % 4;
            switch ((i + number) % 4) {
              case 0 -> cache.put(key, number + " " + i);
              case 1 -> {
                boolean _ = cache.remove(key);
              }
              case 2 -> cache.putAll(Map.of(key, "all " + i, key + 1, "all " + i));
              default -> {
                boolean _ = cache.replace(key, "replaced " + number + " " + i);
              }
            }
          }
        });
    Map<Long, String> found = new HashMap<>();
    cache.forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    assertThat(found).isEqualTo(source.data);
  }

  // ---- Listeners.

  /** Hands every event to a function. */
  private record Listening(Consumer<CacheEntryEvent<? extends Long, ? extends String>> each)
      implements CacheEntryCreatedListener<Long, String>,
          CacheEntryUpdatedListener<Long, String>,
          CacheEntryRemovedListener<Long, String>,
          CacheEntryExpiredListener<Long, String> {
    @Override
    public void onCreated(Iterable<CacheEntryEvent<? extends Long, ? extends String>> events) {
      events.forEach(each);
    }

    @Override
    public void onUpdated(Iterable<CacheEntryEvent<? extends Long, ? extends String>> events) {
      events.forEach(each);
    }

    @Override
    public void onRemoved(Iterable<CacheEntryEvent<? extends Long, ? extends String>> events) {
      events.forEach(each);
    }

    @Override
    public void onExpired(Iterable<CacheEntryEvent<? extends Long, ? extends String>> events) {
      events.forEach(each);
    }
  }

  private static MutableCacheEntryListenerConfiguration<Long, String> listener(
      boolean isSynchronous, Consumer<CacheEntryEvent<? extends Long, ? extends String>> each) {
    return new MutableCacheEntryListenerConfiguration<>(
        new FactoryBuilder.SingletonFactory<>(new Listening(each)), null, true, isSynchronous);
  }

  /** Each event has the value of the event before it as the old one. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eventsOfAKeyHaveTheOrderOfItsChanges(boolean isSynchronous)
      throws InterruptedException, ExecutionException {
    Map<Long, List<String>> chains = new ConcurrentHashMap<>();
    BlockingQueue<String> wrong = new LinkedBlockingQueue<>();
    CountDownLatch told = new CountDownLatch(THREADS * 300);
    Cache<Long, String> cache = open(configuration());
    cache.registerCacheEntryListener(
        listener(
            isSynchronous,
            event -> {
              List<String> chain = chains.computeIfAbsent(event.getKey(), _ -> new ArrayList<>());
              String before = chain.isEmpty() ? null : chain.getLast();
              String old = event.isOldValueAvailable() ? event.getOldValue() : null;
              if (before == null ? old != null : !before.equals(old)) {
                wrong.add(event + " after " + before);
              }
              chain.add(event.getValue());
              told.countDown();
            }));
    inThreads(
        number -> {
          for (int i = 0; i < 300; i++) {
            cache.put(i % 2L, number + " " + i);
          }
        });
    if (isSynchronous) {
      assertThat(told.getCount()).as("told of when put returns").isZero();
    }
    assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(wrong).isEmpty();
    assertThat(cache.get(0L)).isEqualTo(Objects.requireNonNull(chains.get(0L)).getLast());
  }

  /** Crosswise: none waits for the other. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // waits have no end
  void listenersMayChangeTheCache() throws InterruptedException, ExecutionException {
    Cache<Long, String> cache = open(configuration());
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    cache.registerCacheEntryListener(
        listener(
            true,
            event -> {
              told.add(event.getValue());
              if (!event.getValue().startsWith("echo")) {
                cache.put(100 - event.getKey(), "echo of " + event.getValue());
              }
            }));
    inThreads(
        number -> {
          for (int i = 0; i < 100; i++) {
            cache.put(number % 2 == 0 ? 1L : 99L, number + " " + i);
          }
        });
    assertThat(told.stream().filter(each -> each.startsWith("echo"))).hasSize(100 * THREADS);
    assertThat(told).hasSize(200 * THREADS);
  }

  @Test
  void aListenerThatThrowsIsHeardOfAndTheChangeStays() {
    Cache<Long, String> cache = open(configuration());
    cache.registerCacheEntryListener(
        listener(
            true,
            _ -> {
              throw new IllegalStateException("no ears");
            }));
    assertThatThrownBy(() -> cache.put(1L, "one"))
        .isInstanceOf(CacheEntryListenerException.class)
        .hasRootCauseMessage("no ears");
    assertThat(cache.get(1L)).isEqualTo("one");
  }

  @Test
  void listenersAreToldOfWhatExpires() throws InterruptedException {
    Cache<Long, String> cache =
        open(
            configuration()
                .setExpiryPolicyFactory(
                    CreatedExpiryPolicy.factoryOf(new Duration(TimeUnit.MILLISECONDS, 10))));
    BlockingQueue<Long> told = new LinkedBlockingQueue<>();
    cache.registerCacheEntryListener(
        listener(
            true,
            event -> {
              if (event.getEventType() == EventType.EXPIRED) {
                assertThat(event.getValue()).isEqualTo("value " + event.getKey());
                told.add(event.getKey());
              }
            }));
    LongStream.range(0, 50).forEach(key -> cache.put(key, "value " + key));
    clock.move(10);
    assertThat(cache.get(0L)).isNull();
    cache.put(1L, "value 1");
    assertThat(cache.remove(2L)).isFalse();
    Set<Long> all = new HashSet<>();
    while (all.size() < 50) { // the store removes the others by itself
      Long key = told.poll(30, TimeUnit.SECONDS);
      assertThat(key).as("told of %s", all).isNotNull();
      assertThat(all.add(key)).as("told twice of %d", key).isTrue();
    }
  }

  // ---- Bounds, statistics, iteration.

  @Test
  void theBoundOfTheConfigurationIsKept() {
    Cache<Long, String> cache = open(configuration().setMaxEntries(100).setStatisticsEnabled(true));
    LongStream.range(0, 250).forEach(key -> cache.put(key, "value"));
    assertThat(cache).hasSize(100);
    Statistics statistics = statistics(cache);
    assertThat(statistics.getCacheEvictions()).isEqualTo(150);
    assertThat(statistics.getCachePuts()).isEqualTo(250);
    assertThat(statistics.getCacheHits()).as("of the iterator").isEqualTo(100);
    assertThat(statistics.getAveragePutTime()).isPositive();
    statistics.clear();
    assertThat(statistics.getCacheEvictions()).isZero();
    assertThatThrownBy(() -> configuration().setMaxEntries(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> configuration().setMaxBytes(1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Statistics statistics(Cache<?, ?> cache) {
    return cache.unwrap(JCache.class).statistics();
  }

  @Test
  void anIteratorShowsAndRemovesEachEntryOnce() {
    Cache<Long, String> cache = open(configuration());
    LongStream.range(0, 500).forEach(key -> cache.put(key, "value " + key));
    Set<Long> shown = new HashSet<>();
    for (Iterator<Cache.Entry<Long, String>> all = cache.iterator(); all.hasNext(); ) {
      Cache.Entry<Long, String> entry = all.next();
      assertThat(shown.add(entry.getKey())).isTrue();
      if (entry.getKey() % 2 == 0) {
        all.remove();
        assertThatThrownBy(all::remove).isInstanceOf(IllegalStateException.class);
      }
    }
    assertThat(shown).hasSize(500);
    assertThat(cache).hasSize(250);
    cache.removeAll();
    assertThat(cache).isEmpty();
  }

  @Test
  void aMarkerStandsForNull() {
    Object marker = Instant.EPOCH; // not a value of the cache, like Spring's
    Cache<Long, Object> cache =
        manager.createCache(
            "nullable",
            untyped(new HowdahConfiguration<>(Long.class, String.class).setNullMarker(marker)));
    cache.put(1L, marker);
    cache.put(2L, "two");
    assertThat(cache.get(1L)).isSameAs(marker);
    assertThat(cache.get(2L)).isEqualTo("two");
    assertThat(cache.remove(1L, marker)).isTrue();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as Spring does, which knows no types
  private static HowdahConfiguration<Long, Object> untyped(HowdahConfiguration configuration) {
    return configuration;
  }

  // ---- Restarts, managers and mistakes.

  private CacheManager manager(HowdahCachingProvider provider, ClassLoader loader) {
    return provider.getCacheManager(folder.resolve("store").toUri(), loader, small());
  }

  private static Properties small() {
    Properties properties = new Properties();
    properties.setProperty(HowdahCachingProvider.MAX_SIZE, "64M");
    return properties;
  }

  @Test
  void entriesAreThereAfterARestart() {
    HowdahCachingProvider provider = new HowdahCachingProvider();
    try (CacheManager first = manager(provider, getClass().getClassLoader())) {
      Cache<Long, String> cache = first.createCache("cache", configuration());
      cache.put(1L, "one");
      cache.close();
      assertThatThrownBy(() -> cache.get(1L)).isInstanceOf(IllegalStateException.class);
      assertThat(first.<Long, String>getCache("cache")).isNull();
    }
    try (CacheManager second = manager(provider, getClass().getClassLoader())) {
      assertThat(second.getCacheNames()).isEmpty();
      Cache<Long, String> cache = second.createCache("cache", configuration());
      assertThat(cache.get(1L)).isEqualTo("one");
      second.destroyCache("cache");
      assertThat(second.createCache("cache", configuration()).get(1L)).isNull();
    }
  }

  @Test
  void managersOfOneDirectoryShareItsStore() {
    HowdahCachingProvider provider = new HowdahCachingProvider();
    ClassLoader other = new ClassLoader(getClass().getClassLoader()) {};
    CacheManager first = manager(provider, getClass().getClassLoader());
    CacheManager second = manager(new HowdahCachingProvider(), other);
    assertThat(first.unwrap(Store.class)).isSameAs(second.unwrap(Store.class));
    Cache<Long, String> cache = first.createCache("cache", configuration());
    Cache<Long, String> same = second.createCache("cache", configuration());
    cache.put(1L, "one");
    first.close();
    assertThat(same.get(1L)).isEqualTo("one");
    assertThat(manager(provider, getClass().getClassLoader())).isNotSameAs(first);
    provider.close();
    second.close();
    try (Store own = Store.open(folder.resolve("store"))) { // it is closed, else this is refused
      assertThat(own.admin().mapToRead("cache", Codec.int64(), Codec.utf8())).isNotNull();
    }
  }

  @Test
  void aWrappedStoreStaysOpen() {
    Cache<Long, String> cache = open(configuration());
    cache.put(1L, "one");
    manager.close();
    assertThatThrownBy(manager::getCacheNames).isInstanceOf(IllegalStateException.class);
    try (HowdahCacheManager another = HowdahCacheManager.of(store)) {
      assertThat(another.createCache("cache", configuration()).get(1L)).isEqualTo("one");
    }
  }

  /** If one part of a cache cannot be closed, the others are closed nevertheless. */
  private record Part(String name, Map<String, Integer> closed, @Nullable Exception failure)
      implements CacheLoader<Long, String>,
          CacheWriter<Long, String>,
          ExpiryPolicy,
          CacheEntryCreatedListener<Long, String>,
          CacheEntryEventFilter<Long, String>,
          Closeable {

    @Override
    public void close() throws IOException {
      closed.merge(name, 1, Integer::sum);
      switch (failure) {
        case null -> {}
        case IOException e -> throw e;
        default -> throw new IllegalStateException(failure);
      }
    }

    @Override
    public String load(Long key) {
      return "value " + key;
    }

    @Override
    public Map<Long, String> loadAll(Iterable<? extends Long> keys) {
      return Map.of();
    }

    @Override
    public void write(Cache.Entry<? extends Long, ? extends String> entry) {}

    @Override
    public void writeAll(Collection<Cache.Entry<? extends Long, ? extends String>> entries) {}

    @Override
    public void delete(Object key) {}

    @Override
    public void deleteAll(Collection<?> keys) {}

    @Override
    public Duration getExpiryForCreation() {
      return Duration.ETERNAL;
    }

    @Override
    public @Nullable Duration getExpiryForAccess() {
      return null;
    }

    @Override
    public @Nullable Duration getExpiryForUpdate() {
      return null;
    }

    @Override
    public void onCreated(Iterable<CacheEntryEvent<? extends Long, ? extends String>> events) {}

    @Override
    public boolean evaluate(CacheEntryEvent<? extends Long, ? extends String> event) {
      return true;
    }
  }

  private static final List<String> PARTS =
      List.of("loader", "writer", "policy", "listener", "filter", "second listener");

  private static Stream<Arguments> partsThatCannotBeClosed() {
    return PARTS.stream()
        .flatMap(
            part ->
                Stream.of(new IOException("no"), new RuntimeException("no"))
                    .map(failure -> Arguments.of(part, failure)));
  }

  @ParameterizedTest
  @MethodSource("partsThatCannotBeClosed")
  void eachPartIsClosedOnceWhicheverCannotBe(String failing, Exception failure) {
    Map<String, Integer> closed = new ConcurrentHashMap<>();
    Map<String, Part> parts = new HashMap<>();
    for (String name : PARTS) {
      parts.put(name, new Part(name, closed, name.equals(failing) ? failure : null));
    }
    Cache<Long, String> cache =
        open(
            configuration()
                .setCacheLoaderFactory(() -> part(parts, "loader"))
                .setCacheWriterFactory(() -> part(parts, "writer"))
                .setWriteThrough(true)
                .setExpiryPolicyFactory(() -> part(parts, "policy"))
                .addCacheEntryListenerConfiguration(
                    new MutableCacheEntryListenerConfiguration<>(
                        () -> part(parts, "listener"), () -> part(parts, "filter"), false, true))
                .addCacheEntryListenerConfiguration(
                    new MutableCacheEntryListenerConfiguration<>(
                        () -> part(parts, "second listener"), null, false, false)));
    assertThatThrownBy(cache::close)
        .isInstanceOf(CacheException.class)
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
    assertThat(closed).containsOnlyKeys(PARTS).allSatisfy((_, times) -> assertThat(times).isOne());
    assertThat(cache.isClosed()).isTrue();
    assertThat(manager.getCacheNames()).isEmpty();
    cache.close();
  }

  /** A listener is closed when it is deregistered, even if its close fails; others stay open. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aListenerThatIsDeregisteredIsClosed(boolean isFailing) {
    Map<String, Integer> closed = new ConcurrentHashMap<>();
    IOException failure = isFailing ? new IOException("no") : null;
    Cache<Long, String> cache = open(configuration());
    MutableCacheEntryListenerConfiguration<Long, String> going =
        new MutableCacheEntryListenerConfiguration<>(
            () -> new Part("listener", closed, failure),
            () -> new Part("filter", closed, null),
            false,
            true);
    MutableCacheEntryListenerConfiguration<Long, String> staying =
        new MutableCacheEntryListenerConfiguration<>(
            () -> new Part("second listener", closed, null), null, false, false);
    cache.registerCacheEntryListener(going);
    cache.registerCacheEntryListener(staying);
    if (isFailing) {
      assertThatThrownBy(() -> cache.deregisterCacheEntryListener(going))
          .isInstanceOf(CacheException.class)
          .hasCause(failure);
    } else {
      cache.deregisterCacheEntryListener(going);
    }
    assertThat(closed).containsOnly(Map.entry("listener", 1), Map.entry("filter", 1));
    cache.registerCacheEntryListener(going); // as a new one
    cache.deregisterCacheEntryListener(staying);
    assertThat(closed).containsEntry("second listener", 1);
  }

  @Test
  void aCacheThatIsDestroyedIsGoneAlthoughAPartCannotBeClosed() {
    Part writer = new Part("writer", new ConcurrentHashMap<>(), new IOException("no"));
    Cache<Long, String> cache =
        open(configuration().setCacheWriterFactory(() -> writer).setWriteThrough(true));
    cache.put(1L, "one");
    assertThatThrownBy(() -> manager.destroyCache("cache")).isInstanceOf(CacheException.class);
    assertThat(manager.<Long, String>getCache("cache")).isNull();
    assertThat(open(configuration()).get(1L)).isNull();
  }

  private static Part part(Map<String, Part> parts, String name) {
    return Objects.requireNonNull(parts.get(name));
  }

  @Test
  void anErrorOfALoaderReachesWhoWaitsForIt() {
    Cache<Long, String> cache =
        open(
            configuration()
                .setCacheLoaderFactory(
                    () ->
                        new CacheLoader<>() {
                          @Override
                          public String load(Long key) {
                            return "value " + key;
                          }

                          @Override
                          public Map<Long, String> loadAll(Iterable<? extends Long> keys) {
                            throw new NoClassDefFoundError("a library of the loader");
                          }
                        }));
    CompletionListenerFuture done = new CompletionListenerFuture();
    cache.loadAll(Set.of(1L), true, done);
    assertThatThrownBy(() -> done.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(CacheLoaderException.class)
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(cache.containsKey(1L)).isFalse();
  }

  /** A codec of strings that is known by its name. */
  public static final class NamedCodecs implements CacheCodecs {
    /** Creates it, by its name. */
    public NamedCodecs() {}

    @Override
    @SuppressWarnings("unchecked") // a codec of strings is asked for
    public <T> @Nullable Codec<T> codec(Class<T> type, ClassLoader loader) {
      return type.equals(String.class)
          ? (Codec<T>) Codecs.map("named", Codec.utf8(), text -> text, (String text) -> text)
          : null;
    }
  }

  private static final Map<String, String> MANAGER_PROPERTIES =
      Map.of(
          HowdahCachingProvider.MAX_SIZE, "48M",
          HowdahCachingProvider.DURABILITY, "sync",
          HowdahCachingProvider.BACKING, "resident",
          HowdahCachingProvider.CACHE_BYTES, "300K",
          HowdahCachingProvider.CODECS, NamedCodecs.class.getName());

  /** What a property sets, of a store and of a cache that are made with it. */
  private static String inEffect(String property, CacheManager of) {
    Store store = of.unwrap(Store.class);
    StoreOptions options = store.admin().options();
    Cache<Long, String> cache = of.createCache("cache", configuration());
    PersistentCache<?, ?> stored = cache.unwrap(PersistentCache.class);
    return switch (property) {
      case HowdahCachingProvider.MAX_SIZE -> Long.toString(options.maxSize() >> 20) + "M";
      case HowdahCachingProvider.DURABILITY ->
          options.defaultDurability().name().toLowerCase(Locale.ROOT);
      case HowdahCachingProvider.BACKING -> options.backing().name().toLowerCase(Locale.ROOT);
      case HowdahCachingProvider.CACHE_BYTES ->
          store.<Long, RuntimeException>read(stored::maxBytes) / 1024 + "K";
      default -> {
        Map<String, String> all = store.read(store.admin()::collections);
        yield Objects.requireNonNull(all.get("cache")).contains("named")
            ? NamedCodecs.class.getName()
            : "";
      }
    };
  }

  /** A property changes the option that it names, and no other one. */
  @Test
  void eachPropertyOfAManagerHasItsEffect() {
    assertThat(MANAGER_PROPERTIES)
        .containsOnlyKeys(HowdahCachingProvider.PROPERTIES.toArray(String[]::new));
    for (String set : HowdahCachingProvider.PROPERTIES) {
      for (String looked : List.of(set, HowdahCachingProvider.PROPERTIES.getFirst())) {
        Properties properties = new Properties();
        properties.setProperty(HowdahCachingProvider.MAX_SIZE, "64M"); // or it would be large
        properties.setProperty(set, Objects.requireNonNull(MANAGER_PROPERTIES.get(set)));
        HowdahCachingProvider provider = new HowdahCachingProvider();
        URI place = folder.resolve(set + " of " + looked).toUri();
        try (CacheManager own =
            provider.getCacheManager(place, getClass().getClassLoader(), properties)) {
          assertThat(inEffect(looked, own).equals(MANAGER_PROPERTIES.get(looked)))
              .as("%s by %s", looked, set)
              .isEqualTo(looked.equals(set));
        }
      }
    }
  }

  @Test
  void mistakesAreSaid() {
    assertThatThrownBy(() -> manager.createCache("untyped", new MutableConfiguration<>()))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("java.lang.Object")
        .hasMessageContaining("setTypes");
    Cache<Long, String> _ = open(configuration());
    assertThatThrownBy(() -> open(configuration())).isInstanceOf(CacheException.class);
    manager.getCache("cache").close();
    assertThatThrownBy(
            () ->
                manager.createCache("cache", new HowdahConfiguration<>(String.class, String.class)))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("is not what the store has");
    Properties unknown = new Properties();
    unknown.setProperty("howdah.maxsize", "1G");
    assertThatThrownBy(() -> HowdahCacheManager.of(store, unknown))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("howdah.max-size");
    for (String wrong : List.of("", "x", "1T", "-5", "9999999999G")) {
      Properties size = new Properties();
      size.setProperty(HowdahCachingProvider.CACHE_BYTES, wrong);
      assertThatThrownBy(() -> HowdahCacheManager.of(store, size))
          .as("\"%s\"", wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("howdah.cache-bytes");
    }
    Properties codecs = new Properties();
    codecs.setProperty(HowdahCachingProvider.CODECS, "java.lang.String");
    assertThatThrownBy(() -> HowdahCacheManager.of(store, codecs))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("howdah.codecs");
    HowdahCachingProvider provider = new HowdahCachingProvider();
    assertThatThrownBy(() -> provider.getCacheManager(URI.create("http://example.org/x"), null))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("file:///");
  }

  @Test
  void theLocksOfKeysAreGivenBack() throws InterruptedException, ExecutionException {
    Cache<Long, String> cache = open(configuration());
    inThreads(number -> IntStream.range(0, 200).forEach(i -> cache.put(i % 5L, number + " " + i)));
    assertThat(cache.unwrap(JCache.class).lockedKeys()).isZero();
  }
}

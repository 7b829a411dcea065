package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.RegionFullException;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Durability;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a cache does with loaders, listeners, clocks, codecs, figures and regions that are not as
 * they should be.
 */
@Timeout(120)
final class CacheBadInputTest {

  private static final long TTL_MILLIS = 1000;

  private final SettableClock clock = new SettableClock();
  private final WordStore store = open(1 << 22);

  private WordStore open(long bytes) {
    return WordStore.inMemory(
        WordOptions.defaults()
            .withMaxSize(bytes)
            .withOrecs(1 << 10)
            .withPartitions(2)
            .withExecution(new NoReclaiming())
            .withClock(clock));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static PersistentCache<Long, String> cache(WordStore store, CacheOptions options) {
    return store.cache("cache", Codec.int64(), Codec.utf8(), options);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLoaderThatDoesNotReturnHoldsUpLoadsOfItsKeyAlone() throws InterruptedException {
    PersistentCache<Long, String> cache = cache(store, CacheOptions.ofEntries(10));
    CountDownLatch isLoading = new CountDownLatch(1);
    CountDownLatch mayReturn = new CountDownLatch(1);
    AtomicReference<String> loaded = new AtomicReference<>();
    Thread loader =
        Thread.ofPlatform()
            .start(
                () ->
                    loaded.set(
                        cache.get(
                            1L,
                            _ -> {
                              isLoading.countDown();
                              await(mayReturn);
                              return "late";
                            })));
    await(isLoading);
    assertThat(cache.get(1L)).isNull();
    assertThat(cache.get(2L, _ -> "another")).isEqualTo("another");
    cache.put(1L, "put");
    assertThat(cache.get(1L, _ -> "not asked")).isEqualTo("put");
    mayReturn.countDown();
    loader.join();
    assertThat(loaded.get()).isEqualTo("late");
    assertThat(cache.get(1L)).as("the put is later").isEqualTo("put");
  }

  @Test
  void loadersOfOneThreadThatAskForEachOtherAreRefused() {
    PersistentCache<Long, String> cache = cache(store, CacheOptions.ofEntries(10));
    assertThatThrownBy(() -> cache.get(1L, _ -> cache.get(2L, _ -> cache.get(1L, _ -> "never"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("asks for the key that it loads");
    assertThat(cache.get(1L, _ -> "later")).isEqualTo("later");
  }

  /** Each has begun its load before it asks for the other's. */
  @Test
  void loadersOfTwoThreadsThatAskForEachOtherDoNotWaitForEver() throws InterruptedException {
    PersistentCache<Long, String> cache = cache(store, CacheOptions.ofEntries(10));
    CountDownLatch bothLoad = new CountDownLatch(2);
    AtomicReference<@Nullable RuntimeException> first = new AtomicReference<>();
    AtomicReference<@Nullable RuntimeException> second = new AtomicReference<>();
    Thread one = Thread.ofPlatform().start(() -> first.set(askBoth(cache, 1, 2, bothLoad)));
    Thread two = Thread.ofPlatform().start(() -> second.set(askBoth(cache, 2, 1, bothLoad)));
    one.join();
    two.join();
    assertThat(first.get() != null ? first.get() : second.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wait for each other");
    assertThat(cache.get(1L, _ -> "later")).isNotNull();
  }

  private static @Nullable RuntimeException askBoth(
      PersistentCache<Long, String> cache, long own, long other, CountDownLatch bothLoad) {
    try {
      String _ =
          cache.get(
              own,
              _ -> {
                bothLoad.countDown();
                await(bothLoad);
                return cache.get(other, _ -> "other");
              });
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void aCacheOfOtherCodecsIsRefused() {
    PersistentCache<Long, String> cache = cache(store, CacheOptions.ofEntries(10));
    cache.put(1L, "one");
    assertThatThrownBy(
            () -> store.cache("cache", Codec.int64(), Codec.int64(), CacheOptions.ofEntries(10)))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("cache");
    assertThatThrownBy(
            () -> store.cache("cache", Codec.utf8(), Codec.utf8(), CacheOptions.ofEntries(10)))
        .isInstanceOf(CollectionMismatchException.class);
    assertThat(cache.get(1L)).isEqualTo("one");
  }

  @Test
  void aClockThatJumpsExpiresEntriesAndBringsNoneBack() {
    PersistentCache<Long, String> cache =
        cache(
            store, CacheOptions.ofEntries(100).withExpireAfterWrite(Duration.ofMillis(TTL_MILLIS)));
    cache.put(1L, "one");
    clock.move(1000L * 86_400 * 365);
    assertThat(cache.get(1L)).isNull();
    cache.put(2L, "two");
    assertThat(cache.map().expiry().reclaim()).isEqualTo(1);
    clock.move(-1000L * 86_400 * 365);
    assertThat(cache.get(1L)).as("it is gone").isNull();
    assertThat(cache.get(2L)).as("it expires in a year").isEqualTo("two");
    cache.put(3L, "three");
    assertThat(cache.get(3L)).isEqualTo("three");
    clock.move(TTL_MILLIS);
    assertThat(cache.get(3L)).isNull();
    LongStream.range(100, 300).forEach(key -> cache.put(key, "new"));
    assertThat(store.<Long, RuntimeException>read(cache::size)).isEqualTo(100);
    Blocks.assertNothingLeaks(store);
  }

  /** For each key that the program puts, it puts another one; all but the last entries go. */
  @Test
  void aListenerMayWriteToItsCache() {
    int keys = 200;
    int max = 20;
    PersistentCache<Long, String> cache =
        cache(store, CacheOptions.ofEntries(max).withJournal(ChangeJournal.keeping(10_000)));
    AtomicLong answered = new AtomicLong();
    try (Subscription listener =
        cache
            .changes()
            .subscribe(
                0,
                Durability.ASYNC,
                change -> {
                  if (change instanceof Change.Put<Long, String> put && put.key() < keys) {
                    cache.put(put.key() + keys, "answer to " + put.value());
                    answered.incrementAndGet();
                  }
                })) {
      LongStream.range(0, keys).forEach(key -> cache.put(key, "value " + key));
      while (answered.get() < keys
          || listener.position()
              < store.<Long, RuntimeException>read(tx -> cache.changes().newest(tx))) {
        assertThat(listener.failure()).isEmpty();
        Thread.onSpinWait();
      }
    }
    assertThat(answered.get()).isEqualTo(keys);
    assertThat(store.<Long, RuntimeException>read(cache::size)).isEqualTo(max);
    assertThat(cache.statistics().evictions()).isEqualTo(2 * keys - max);
    store.run(
        tx ->
            cache
                .entries(tx)
                .forEach(
                    entry ->
                        assertThat(entry.getValue())
                            .isEqualTo(
                                entry.getKey() < keys
                                    ? "value " + entry.getKey()
                                    : "answer to value " + (entry.getKey() - keys))));
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void figuresThatNoLongHoldsTogetherGiveARatio() {
    assertThat(new CacheStatistics(Long.MAX_VALUE, Long.MAX_VALUE, 0, 0, 0, 0).hitRatio())
        .isEqualTo(0.5);
    assertThat(new CacheStatistics(0, 0, 0, 0, 0, 0).hitRatio()).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("NullAway") // the mistake of a program that has no such check
  void nullIsNoKeyAndNoValueAndChangesNothing() {
    PersistentCache<Long, String> cache = cache(store, CacheOptions.ofEntries(2));
    cache.put(1L, "one");
    cache.put(2L, "two");
    Long noKey = null;
    String noValue = null;
    assertThatThrownBy(() -> cache.put(noKey, "x")).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.put(3L, noValue)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.put(1L, noValue)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.get(noKey)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.remove(noKey)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.get(noKey, _ -> "x")).isInstanceOf(NullPointerException.class);
    assertThat(cache.get(4L, _ -> null)).as("a loader that has no value").isNull();
    assertThat(cache.getAll(List.of(1L, 2L, 3L, 4L))).isEqualTo(Map.of(1L, "one", 2L, "two"));
    Blocks.assertNothingLeaks(store);
  }

  /** The bound is above what the region has. */
  @Test
  void aFullRegionRefusesPutsAndLosesNothing() {
    try (WordStore small = open(1 << 19)) {
      PersistentCache<Long, String> cache = cache(small, CacheOptions.ofBytes(1 << 24));
      String value = "x".repeat(500);
      assertThatThrownBy(() -> LongStream.range(0, 5000).forEach(key -> cache.put(key, value)))
          .isInstanceOf(RegionFullException.class);
      long size = small.<Long, RuntimeException>read(cache::size);
      assertThat(size).isBetween(50L, 1000L);
      assertThat(LongStream.range(0, size).filter(cache::containsKey).count()).isEqualTo(size);
      assertThat(cache.remove(0L)).isTrue();
      assertThat(cache.remove(1L)).isTrue();
      cache.put(9999L, value);
      assertThat(cache.get(9999L)).isEqualTo(value);
      PersistentCache<Long, String> lower = cache(small, CacheOptions.ofEntries(20));
      assertThat(small.<Long, RuntimeException>read(lower::size)).isEqualTo(20);
      LongStream.range(0, 100).forEach(key -> lower.put(key, value));
      assertThat(small.<Long, RuntimeException>read(lower::size)).isEqualTo(20);
      Blocks.assertNothingLeaks(small);
    }
  }
}

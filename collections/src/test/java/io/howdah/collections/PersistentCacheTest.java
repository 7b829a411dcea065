package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.changes.Change;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cache keeps, evicts, expires, loads and counts. */
@Timeout(60)
final class PersistentCacheTest {

  /** Key, length, and up to 20 bytes of a value: a block of 32 bytes, and 16 of the table. */
  private static final int SMALL_WEIGHT = 48;

  private final SettableClock clock = new SettableClock();
  private final WordStore store = WordStore.withoutReclaiming(clock);

  @AfterEach
  void close() {
    store.close();
  }

  private PersistentCache<Long, String> open(CacheOptions options) {
    return store.cache("cache", Codec.int64(), Codec.utf8(), options);
  }

  private long size(PersistentCache<Long, String> cache) {
    return store.<Long, RuntimeException>read(cache::size);
  }

  private long bytes(PersistentCache<Long, String> cache) {
    return store.<Long, RuntimeException>read(cache::bytes);
  }

  private static void put(PersistentCache<Long, String> cache, long from, long to) {
    LongStream.range(from, to).forEach(key -> cache.put(key, "value " + key));
  }

  @Test
  void whatWasPutIsFoundUntilItIsRemoved() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    assertThat(cache.get(1L)).isNull();
    cache.put(1L, "one");
    assertThat(cache.get(1L)).isEqualTo("one");
    cache.put(1L, "another");
    assertThat(cache.get(1L)).isEqualTo("another");
    assertThat(cache.getAll(List.of(2L, 1L))).isEqualTo(Map.of(1L, "another"));
    assertThat(cache.containsKey(1L)).isTrue();
    assertThat(cache.remove(1L)).isTrue();
    assertThat(cache.remove(1L)).isFalse();
    assertThat(cache.get(1L)).isNull();
    assertThat(bytes(cache)).isZero();
    assertThat(cache.statistics()).isEqualTo(new CacheStatistics(3, 3, 0, 0, 0, 0));
    Blocks.assertNothingLeaks(store);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 100, 3000, 9000})
  void thereAreNeverMoreEntriesThanTheBound(int max) {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(max));
    for (long key = 0; key < 2L * max + 10; key++) {
      cache.put(key, "value " + key);
      assertThat(size(cache)).isEqualTo(Math.min(key + 1, max));
      assertThat(cache.get(key)).as("just put").isEqualTo("value " + key);
    }
    assertThat(cache.statistics().evictions()).isEqualTo(max + 10);
    Blocks.assertNothingLeaks(store);
  }

  @ParameterizedTest
  @ValueSource(longs = {4096, 10_000, 1 << 17})
  void theEntriesNeverWeighMoreThanTheBound(long max) {
    PersistentCache<Long, String> cache = open(CacheOptions.ofBytes(max));
    for (long key = 0; key < 2 * max / SMALL_WEIGHT; key++) {
      cache.put(key, "value " + key);
      assertThat(bytes(cache))
          .isEqualTo(SMALL_WEIGHT * size(cache))
          .isLessThanOrEqualTo(max)
          .isGreaterThan(Math.min(SMALL_WEIGHT * (key + 1), max - max / 16 - SMALL_WEIGHT) - 1);
    }
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void aValueThatGrowsEvictsOthersAndOneThatShrinksGivesRoom() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofBytes(8192));
    put(cache, 0, 100);
    assertThat(cache.statistics().evictions()).isZero();
    cache.put(5L, "x".repeat(6000));
    assertThat(cache.get(5L)).hasSize(6000);
    assertThat(bytes(cache)).isLessThanOrEqualTo(8192);
    long evicted = cache.statistics().evictions();
    assertThat(evicted).isEqualTo(100 - size(cache)).isPositive();
    cache.put(5L, "short");
    put(cache, 200, 220);
    assertThat(cache.statistics().evictions()).isEqualTo(evicted);
    assertThat(bytes(cache)).isEqualTo(SMALL_WEIGHT * size(cache));
  }

  @Test
  void anEntryHeavierThanTheBoundIsRefused() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofBytes(4096));
    put(cache, 0, 10);
    assertThatThrownBy(() -> cache.put(11L, "x".repeat(5000)))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining("weighs 5136 bytes")
        .hasMessageContaining("4096");
    assertThat(size(cache)).isEqualTo(10);
    cache.put(12L, "x".repeat(4000 - 4 - 8 - 16 - 400)); // a block of 3584 bytes
    assertThat(cache.get(12L)).hasSize(3572);
    assertThat(bytes(cache)).isLessThanOrEqualTo(4096);
  }

  @Test
  void aScanDoesNotDriveOutWhatIsUsed() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(200));
    for (int round = 0; round < 5; round++) {
      LongStream.range(0, 150)
          .forEach(
              key -> {
                if (cache.get(key) == null) {
                  cache.put(key, "used");
                }
              });
    }
    put(cache, 1000, 3000);
    assertThat(LongStream.range(0, 150).filter(cache::containsKey).count())
        .isGreaterThanOrEqualTo(140);
  }

  /** LRU finds none of them, and the best that is possible is half of them. */
  @Test
  void ofALoopOverTwiceTheEntriesAPartStays() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(500));
    for (int round = 0; round < 20; round++) {
      LongStream.range(0, 1000)
          .forEach(
              key -> {
                if (cache.get(key) == null) {
                  cache.put(key, "value");
                }
              });
    }
    assertThat(cache.statistics().hitRatio()).isBetween(0.40, 0.475);
  }

  @Test
  void aLowerBoundEvictsAndAHigherOneMakesRoom() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(1000));
    put(cache, 0, 1000);
    PersistentCache<Long, String> lower = open(CacheOptions.ofEntries(300).withMaxBytes(1 << 20));
    assertThat(size(lower)).isEqualTo(300);
    assertThat(store.<Long, RuntimeException>read(lower::maxEntries)).isEqualTo(300);
    assertThat(store.<Long, RuntimeException>read(lower::maxBytes)).isEqualTo(1 << 20);
    put(cache, 2000, 2100); // the former handle keeps the present bound
    assertThat(size(lower)).isEqualTo(300);
    PersistentCache<Long, String> higher = open(CacheOptions.ofEntries(500));
    put(higher, 3000, 4000);
    assertThat(size(higher)).isEqualTo(500);
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void anEvictionIsUndoneWithItsTransaction() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(100));
    put(cache, 0, 100);
    store.run(
        tx -> {
          Savepoint before = tx.savepoint();
          LongStream.range(1000, 1050).forEach(key -> cache.put(tx, key, "new"));
          assertThat(cache.size(tx)).isEqualTo(100);
          tx.rollBack(before);
          assertThat(cache.entries(tx).count()).isEqualTo(100);
        });
    assertThat(LongStream.range(0, 100).filter(cache::containsKey).count()).isEqualTo(100);
    assertThat(cache.statistics().evictions()).isZero();
  }

  @Test
  void aCacheIsNoMapAndAMapNoCache() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    cache.put(1L, "one");
    assertThatThrownBy(() -> store.map("cache", Codec.int64(), Codec.utf8()))
        .isInstanceOf(CollectionMismatchException.class);
    var _ = store.map("map", Codec.int64(), Codec.utf8());
    assertThatThrownBy(
            () -> store.cache("map", Codec.int64(), Codec.utf8(), CacheOptions.ofEntries(1)))
        .isInstanceOf(CollectionMismatchException.class);
    PersistentMap<Long, String> toRead = store.mapToRead("cache", Codec.int64(), Codec.utf8());
    store.run(tx -> assertThat(toRead.get(tx, 1L)).isEqualTo("one"));
    assertThatThrownBy(() -> store.run(tx -> toRead.put(tx, 2L, "two")))
        .isInstanceOf(CollectionMismatchException.class);
  }

  @Test
  void clearingGivesAllRoomBack() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(1000));
    put(cache, 0, 1000);
    cache.clear();
    assertThat(size(cache)).isZero();
    assertThat(bytes(cache)).isZero();
    put(cache, 0, 1000);
    assertThat(size(cache)).isEqualTo(1000);
    assertThat(cache.statistics().evictions()).isZero();
  }

  // ---- Expiry.

  @Test
  void whatHasExpiredIsNotFoundAndGivesItsRoom() {
    PersistentCache<Long, String> cache =
        open(CacheOptions.ofEntries(100).withExpireAfterWrite(Duration.ofMillis(50)));
    put(cache, 0, 50);
    clock.move(30);
    put(cache, 50, 100);
    assertThat(cache.get(7L)).isEqualTo("value 7");
    clock.move(30);
    assertThat(cache.get(7L)).isNull();
    assertThat(cache.get(70L)).isEqualTo("value 70");
    put(cache, 200, 240);
    assertThat(LongStream.range(50, 100).filter(cache::containsKey).count())
        .as("expired ones go first")
        .isGreaterThanOrEqualTo(45);
    CacheStatistics statistics = cache.statistics();
    assertThat(statistics.expiries() + statistics.evictions()).isEqualTo(40);
    assertThat(statistics.expiries()).isGreaterThanOrEqualTo(30);
  }

  @Test
  void anAccessProlongsAnEntryThatHasUsedUpASixteenth() {
    PersistentCache<Long, String> cache =
        open(CacheOptions.ofEntries(10).withExpireAfterAccess(Duration.ofMillis(160)));
    cache.put(1L, "read");
    cache.put(2L, "read in a transaction");
    cache.put(3L, "not read");
    cache.put(4L, "read with others");
    cache.put(5L, "read or loaded");
    for (int i = 0; i < 20; i++) {
      clock.move(20);
      assertThat(cache.get(1L)).isNotNull();
      assertThat(cache.getAll(List.of(4L, 99L))).containsOnlyKeys(4L);
      assertThat(cache.get(5L, _ -> "loaded anew")).isEqualTo("read or loaded");
      store.run(tx -> assertThat(cache.get(tx, 2L)).isNotNull());
    }
    assertThat(cache.get(3L)).isNull();
    clock.move(9); // less than a sixteenth
    assertThat(cache.get(1L)).isNotNull();
    clock.move(151);
    assertThat(cache.get(1L)).isNull();
  }

  @Test
  void theExpiryOfACacheStays() {
    var _ = open(CacheOptions.ofEntries(10).withExpireAfterWrite(Duration.ofMillis(50)));
    assertThatThrownBy(() -> open(CacheOptions.ofEntries(10)))
        .isInstanceOf(CollectionMismatchException.class);
  }

  @Test
  void anEntryExpiresWhenItsOwnPutSaid() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10).withExpirePerEntry());
    store.run(
        tx -> {
          cache.put(tx, 1L, "short", Duration.ofMillis(10));
          cache.put(tx, 2L, "long", Duration.ofMillis(30));
          cache.put(tx, 3L, "ever", EntryExpiry.FOREVER);
          cache.putUntil(tx, 4L, "until", clock.instant().plusMillis(10));
          cache.putUntil(tx, 5L, "ever", Instant.MAX);
        });
    cache.put(6L, "by default");
    clock.move(10);
    store.run(
        tx -> {
          assertThat(cache.get(tx, 1L)).isNull();
          assertThat(cache.get(tx, 4L)).isNull();
          assertThat(cache.expiresAt(tx, 1L)).isNull();
          assertThat(cache.expiresAt(tx, 2L)).isEqualTo(clock.instant().plusMillis(20));
          assertThat(cache.expiresAt(tx, 6L)).isEqualTo(Instant.MAX);
          assertThat(cache.touch(tx, 2L, Duration.ofMillis(100))).isTrue();
          assertThat(cache.touch(tx, 1L, Duration.ofMillis(100))).isFalse();
        });
    clock.move(99);
    assertThat(cache.getAll(List.of(1L, 2L, 3L, 4L, 5L, 6L)).keySet())
        .containsExactly(2L, 3L, 5L, 6L);
    clock.move(1);
    assertThat(cache.get(2L)).isNull();
    PersistentCache<Long, String> without =
        store.cache("other", Codec.int64(), Codec.utf8(), CacheOptions.ofEntries(10));
    assertThatThrownBy(() -> store.run(tx -> without.put(tx, 1L, "", Duration.ofMillis(1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theListenerIsToldOfEachExpiredEntryThatIsRemovedAfterTheCommit() {
    PersistentCache<Long, String> cache =
        open(CacheOptions.ofEntries(100).withExpireAfterWrite(Duration.ofMillis(50)));
    Map<Long, String> told = new TreeMap<>();
    cache.onExpiry((key, value) -> assertThat(told.put(key, value)).isNull());
    put(cache, 0, 10);
    assertThat(store.<Boolean, RuntimeException>call(tx -> cache.removeExpired(tx, 1L))).isFalse();
    clock.move(50);
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      assertThat(cache.removeExpired(tx, 1L)).isTrue();
                      throw tx.abort();
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    assertThat(told).isEmpty();
    assertThat(store.<Boolean, RuntimeException>call(tx -> cache.removeExpired(tx, 1L))).isTrue();
    assertThat(told).isEqualTo(Map.of(1L, "value 1"));
    put(cache, 100, 195); // makes room by expired ones
    assertThat(told.size()).isBetween(1, 10);
    int untold = 10 - told.size();
    assertThat(cache.map().expiry().reclaim()).isEqualTo(untold);
    assertThat(told).hasSize(10).containsEntry(7L, "value 7");
    assertThat(cache.statistics().expiries()).isEqualTo(10);
    cache.onExpiry(
        (_, _) -> {
          throw new IllegalStateException();
        });
    clock.move(50);
    assertThat(store.<Boolean, RuntimeException>call(tx -> cache.removeExpired(tx, 100L))).isTrue();
  }

  @Test
  void aWalkShowsEachEntryOnceAndEncodingsTellValuesApart() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(1000));
    put(cache, 0, 300);
    Map<Long, String> shown = new TreeMap<>();
    long position = 0;
    do {
      long from = position;
      position =
          store.<Long, RuntimeException>read(
              tx ->
                  cache.walk(
                      tx, from, 20, (key, value) -> assertThat(shown.put(key, value)).isNull()));
    } while (position != 0);
    assertThat(shown).hasSize(300);
    store.run(
        tx -> {
          assertThat(cache.encodedValue(tx, 1000L)).isNull();
          assertThat(cache.encodedValue(tx, 7L)).asString().isEqualTo("value 7");
        });
    assertThat(cache.encodedKey(7L)).isEqualTo(cache.encodedKey(7L)).hasSize(8);
  }

  // ---- Listeners.

  @Test
  void theJournalTellsOfEvictions() {
    PersistentCache<Long, String> cache =
        open(CacheOptions.ofEntries(2).withJournal(ChangeJournal.keeping(100)));
    put(cache, 1, 4);
    boolean _ = cache.remove(3L);
    List<Change<Long, String>> changes = store.read(tx -> cache.changes().after(tx, 0, 100));
    assertThat(changes).hasSize(5);
    assertThat(changes.get(2)).isInstanceOf(Change.Evicted.class);
    assertThat(changes.get(2).key()).isIn(1L, 2L);
    assertThat(changes.get(3)).isEqualTo(new Change.Put<>(4, 3L, "value 3"));
    assertThat(changes.get(4)).isEqualTo(new Change.Removed<>(5, 3L));
  }

  // ---- Loaders.

  @Test
  void whatIsMissingIsLoadedOnceAndKept() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    AtomicInteger calls = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      assertThat(cache.get(1L, key -> "loaded " + key + calls.incrementAndGet()))
          .isEqualTo("loaded 11");
    }
    assertThat(cache.get(2L, _ -> null)).isNull();
    assertThat(cache.containsKey(2L)).isFalse();
    assertThat(cache.statistics()).isEqualTo(new CacheStatistics(2, 2, 1, 0, 0, 0));
    store.run(tx -> assertThat(cache.get(tx, 3L, _ -> "made")).isEqualTo("made"));
    assertThat(cache.get(3L)).isEqualTo("made");
  }

  @Test
  void aLoaderThatThrowsKeepsNothing() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    assertThatThrownBy(
            () ->
                cache.get(
                    1L,
                    _ -> {
                      throw new IllegalStateException("no source");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no source");
    assertThat(cache.statistics().failedLoads()).isEqualTo(1);
    assertThat(cache.get(1L, _ -> "later")).isEqualTo("later");
  }

  @Test
  void aLoaderThatAsksForItsOwnKeyIsRefused() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    assertThatThrownBy(() -> cache.get(1L, key -> cache.get(key, _ -> "inner")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("asks for the key that it loads");
  }

  /** Its source may have been read before the change. */
  @Test
  void aLoadDuringWhichItsKeyChangesIsNotKept() {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    assertThat(
            cache.get(
                1L,
                key -> {
                  boolean _ = cache.remove(key);
                  return "old";
                }))
        .isEqualTo("old");
    assertThat(cache.get(1L)).isNull();
    assertThat(
            cache.get(
                1L,
                key -> {
                  store.run(tx -> cache.put(tx, key, "new"));
                  return "old";
                }))
        .isEqualTo("old");
    assertThat(cache.get(1L)).isEqualTo("new");
    assertThat(
            cache.get(
                2L,
                _ -> {
                  cache.put(3L, "other");
                  return "kept";
                }))
        .isEqualTo("kept");
    assertThat(cache.get(2L)).isEqualTo("kept");
    assertThat(
            cache.get(
                4L,
                _ -> {
                  cache.clear();
                  return "old";
                }))
        .isEqualTo("old");
    assertThat(cache.get(4L)).isNull();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A change of the key 1 in a transaction, and what it leaves. */
  enum Changing {
    PUT((cache, tx) -> cache.put(tx, 1L, "new"), "new"),
    PUT_FOR_A_TIME((cache, tx) -> cache.put(tx, 1L, "new", Duration.ofHours(1)), "new"),
    PUT_UNTIL((cache, tx) -> cache.putUntil(tx, 1L, "new", Instant.MAX), "new"),
    REMOVE((cache, tx) -> cache.remove(tx, 1L), null);

    @SuppressWarnings("ImmutableEnumChecker") // never changed once it is made
    private final BiConsumer<PersistentCache<Long, String>, Tx> made;

    private final @Nullable String left;

    Changing(BiConsumer<PersistentCache<Long, String>, Tx> made, @Nullable String left) {
      this.made = made;
      this.left = left;
    }
  }

  /** A load that begins between a change and its commit has read a source from before. */
  @ParameterizedTest
  @EnumSource
  void aLoadThatBeginsBeforeAChangeCommitsIsNotKept(Changing change) throws InterruptedException {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10).withExpirePerEntry());
    CountDownLatch isLoading = new CountDownLatch(1);
    CountDownLatch isCommitted = new CountDownLatch(1);
    Thread loader =
        Thread.ofPlatform()
            .unstarted(
                () ->
                    cache.get(
                        1L,
                        _ -> {
                          isLoading.countDown();
                          await(isCommitted);
                          return "old";
                        }));
    store.run(
        tx -> {
          change.made.accept(cache, tx);
          if (loader.getState() == Thread.State.NEW) {
            loader.start();
          }
          await(isLoading);
        });
    isCommitted.countDown();
    loader.join();
    assertThat(cache.get(1L)).isEqualTo(change.left);
  }

  /** The removal commits after the load has looked whether there was one, and before it commits. */
  @Test
  void aRemovalThatCommitsBesideALoadIsNotOvertaken() {
    AtomicReference<Runnable> whileEncoding = new AtomicReference<>(() -> {});
    Codec<String> values =
        new Codec<>() {
          @Override
          public String name() {
            return "hooked";
          }

          @Override
          public void encode(String value, Encoder out) {
            whileEncoding.getAndSet(() -> {}).run();
            Codec.utf8().encode(value, out);
          }

          @Override
          public String decode(Decoder in) {
            return Codec.utf8().decode(in);
          }
        };
    PersistentCache<Long, String> cache =
        store.cache("hooked", Codec.int64(), values, CacheOptions.ofEntries(10));
    whileEncoding.set(
        () -> {
          Thread other = Thread.ofPlatform().start(() -> cache.remove(1L));
          try {
            other.join();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    assertThat(cache.get(1L, _ -> "old")).isEqualTo("old");
    assertThat(cache.get(1L)).isNull();
  }

  @Test
  void threadsThatMissTheSameKeyWaitForOneLoad() throws InterruptedException {
    PersistentCache<Long, String> cache = open(CacheOptions.ofEntries(10));
    CountDownLatch isLoading = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<String> waited = new AtomicReference<>();
    Thread waiter =
        Thread.ofPlatform()
            .unstarted(
                () -> {
                  try {
                    isLoading.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  waited.set(cache.get(1L, _ -> "second" + calls.incrementAndGet()));
                });
    waiter.start();
    String loaded =
        cache.get(
            1L,
            _ -> {
              isLoading.countDown();
              while (waited.get() == null
                  && (cache.statistics().misses() < 2 || !isParked(waiter))) {
                Thread.onSpinWait();
              }
              return "first" + calls.incrementAndGet();
            });
    waiter.join();
    assertThat(loaded).isEqualTo("first1");
    assertThat(waited.get()).isEqualTo("first1");
    assertThat(calls.get()).isEqualTo(1);
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        || thread.getState() == Thread.State.WAITING;
  }
}

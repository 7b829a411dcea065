package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangesHeldException;
import io.howdah.core.Execution;
import io.howdah.core.RegionFullException;
import io.howdah.testkit.SettableClock;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.RetryWaits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A journal that holds writers: what waits, for how long, and what never gets lost. */
final class HeldWritersTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final ChangeJournal THREE = ChangeJournal.keeping(3).holdingWriters(LONG);

  /** Waits of transactions take no time but on their clock. */
  private static final class QuickWaits extends SystemThreads {
    private final AtomicLong waited = new AtomicLong();

    @Override
    public Thread start(String name, Runnable body) {
      // Tests reclaim themselves.
      return name.equals("howdah-expiry") ? new Thread(body) : system.start(name, body);
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + waited.get();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (blocker instanceof RetryWaits) {
        waited.addAndGet(nanos);
      } else {
        system.parkNanos(blocker, nanos);
      }
    }
  }

  private final SettableClock clock = new SettableClock();
  private final QuickWaits waits = new QuickWaits();
  private final WordStore store = WordStore.inMemory(options().withExecution(waits));
  private final WordStore slow = WordStore.inMemory(options());

  private WordOptions options() {
    return WordOptions.defaults()
        .withMaxSize(1 << 22)
        .withOrecs(1 << 12)
        .withPartitions(2)
        .withClock(clock);
  }

  @AfterEach
  void close() {
    store.close();
    slow.close();
  }

  private static PersistentMap<Long, Long> open(WordStore store, ChangeJournal journal) {
    return store.map("map", Codec.int64(), Codec.int64(), journal);
  }

  private static void put(WordStore store, KeyedCollection<Long, Long> map, long... keys) {
    for (long key : keys) {
      store.run(tx -> map.put(tx, key, 10 * key));
    }
  }

  private static void release(WordStore store, KeyedCollection<Long, Long> map, long position) {
    store.run(tx -> map.changes().release(tx, position));
  }

  private static long oldest(WordStore store, KeyedCollection<Long, Long> map) {
    return store.<Long, RuntimeException>read(tx -> map.changes().oldest(tx));
  }

  private static long newest(WordStore store, KeyedCollection<Long, Long> map) {
    return store.<Long, RuntimeException>read(tx -> map.changes().newest(tx));
  }

  private static void awaitRetries(WordStore store, long retries) {
    long started = System.nanoTime();
    while (store.retries() < retries) {
      assertThat(System.nanoTime() - started).isLessThan(LONG.toNanos());
      Execution.system().parkNanos(store, 1_000_000);
    }
  }

  @Test
  void aWriterWaitsUntilAReaderReleasesChanges() throws Exception {
    PersistentMap<Long, Long> map = open(slow, THREE);
    put(slow, map, 1, 2, 3);
    CompletableFuture<Void> fourth = CompletableFuture.runAsync(() -> put(slow, map, 4));
    awaitRetries(slow, 1);
    assertThat(fourth).isNotDone();
    assertThat(oldest(slow, map)).isZero();
    release(slow, map, 1);
    fourth.get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(oldest(slow, map)).isEqualTo(1);
    assertThat(
            slow.<List<Change<Long, Long>>, RuntimeException>read(
                tx -> map.changes().after(tx, 1, 10)))
        .containsExactly(
            new Change.Put<>(2, 2L, 20L),
            new Change.Put<>(3, 3L, 30L),
            new Change.Put<>(4, 4L, 40L));
  }

  @Test
  void aWriterThatHasWaitedTooLongEndsWithoutAnEffect() {
    PersistentMap<Long, Long> map = open(store, THREE);
    put(store, map, 1, 2, 3);
    long before = waits.waited.get();
    assertThatThrownBy(() -> put(store, map, 4))
        .isInstanceOf(ChangesHeldException.class)
        .hasMessageContaining("map/changes")
        .hasMessageContaining("it has its 3 changes")
        .hasMessageContaining("behind position 0 are not released")
        .hasMessageContaining("30000 ms");
    assertThat(waits.waited.get() - before).isBetween(1L, LONG.toNanos());
    assertThatThrownBy(() -> store.run(tx -> map.remove(tx, 1L)))
        .isInstanceOf(ChangesHeldException.class);
    assertThat(newest(store, map)).isEqualTo(3);
    assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(3);
    release(store, map, 2);
    put(store, map, 4, 5);
    assertThat(oldest(store, map)).isEqualTo(2);
    assertThatThrownBy(() -> put(store, map, 6)).isInstanceOf(ChangesHeldException.class);
  }

  @Test
  void oneTransactionWaitsForTheTimeOnceOnly() {
    PersistentMap<Long, Long> map = open(store, THREE);
    put(store, map, 1, 2, 3);
    long before = waits.waited.get();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      for (long key = 4; key < 8; key++) {
                        map.put(tx, key, key);
                      }
                    }))
        .isInstanceOf(ChangesHeldException.class);
    assertThat(waits.waited.get() - before).isLessThanOrEqualTo(LONG.toNanos());
    long between = waits.waited.get();
    assertThatThrownBy(() -> put(store, map, 9)).isInstanceOf(ChangesHeldException.class);
    assertThat(waits.waited.get()).as("the next one has a time of its own").isGreaterThan(between);
  }

  @Test
  void anAlternativeHasItsTurnBeforeTheWait() {
    PersistentMap<Long, Long> map = open(store, THREE);
    PersistentMap<Long, Long> other = store.map("other", Codec.int64(), Codec.int64());
    put(store, map, 1, 2, 3);
    boolean isPut =
        store.call(
            tx ->
                tx.<Boolean, RuntimeException>orElse(
                    first -> {
                      other.put(first, 1L, 1L);
                      map.put(first, 4L, 4L);
                      return true;
                    },
                    second -> {
                      other.put(second, 2L, 2L);
                      return false;
                    }));
    assertThat(isPut).isFalse();
    assertThat(store.<List<Long>, RuntimeException>read(tx -> other.keys(tx).toList()))
        .containsExactly(2L);
  }

  @Test
  void aSessionDoesNotWait() {
    PersistentMap<Long, Long> map = open(store, THREE);
    put(store, map, 1, 2, 3);
    long before = waits.waited.get();
    try (WordSession session = store.session()) {
      Tx tx = session.begin();
      assertThatThrownBy(() -> map.put(tx, 4L, 4L)).isInstanceOf(ChangesHeldException.class);
      session.abort();
    }
    assertThat(waits.waited.get()).isEqualTo(before);
  }

  @Test
  void aProgramThatDoesNotDeclareTheJournalIsHeldToo() {
    put(store, open(store, THREE), 1, 2, 3);
    PersistentMap<Long, Long> undeclared = store.map("map", Codec.int64(), Codec.int64());
    assertThatThrownBy(() -> put(store, undeclared, 4)).isInstanceOf(ChangesHeldException.class);
    PersistentMap<Long, Long> dropping = open(store, ChangeJournal.keeping(3));
    put(store, dropping, 4, 5);
    assertThat(oldest(store, dropping)).isEqualTo(2);
    // What was removed meanwhile counts as released; what is there is held again.
    PersistentMap<Long, Long> holding = open(store, THREE);
    assertThat(store.<Long, RuntimeException>read(tx -> holding.changes().released(tx)))
        .isEqualTo(2);
    assertThatThrownBy(() -> put(store, holding, 6)).isInstanceOf(ChangesHeldException.class);
  }

  @Test
  void aLowerBoundRemovesNothingThatIsNotReleased() {
    put(store, open(store, ChangeJournal.keeping(100).holdingWriters(LONG)), 1, 2, 3, 4, 5, 6, 7);
    PersistentMap<Long, Long> map = open(store, ChangeJournal.keeping(2).holdingWriters(LONG));
    assertThat(oldest(store, map)).isZero();
    assertThatThrownBy(() -> put(store, map, 8)).isInstanceOf(ChangesHeldException.class);
    release(store, map, 7);
    assertThat(oldest(store, map)).isZero();
    // Each change removes two of those that have stayed, so after a while there are no more.
    put(store, map, 8, 9);
    assertThat(oldest(store, map)).isEqualTo(4);
    release(store, map, 9);
    put(store, map, 10, 11);
    release(store, map, 11);
    put(store, map, 12, 13);
    assertThat(oldest(store, map)).isEqualTo(11);
  }

  @Test
  void onlyChangesThatAreThereAreReleased() {
    PersistentMap<Long, Long> map = open(store, THREE);
    put(store, map, 1, 2);
    for (long position : new long[] {-1, 3, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> release(store, map, position))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("up to " + position + " cannot be released");
    }
    release(store, map, 2);
    release(store, map, 1);
    assertThat(store.<Long, RuntimeException>read(tx -> map.changes().released(tx))).isEqualTo(2);
  }

  @Test
  void expiredEntriesStayInMemoryAndNobodyWaitsForThem() {
    PersistentMap<Long, Long> map =
        store.map("map", Codec.int64(), Codec.int64(), THREE, Expiry.after(Duration.ofMinutes(1)));
    put(store, map, 1, 2, 3);
    clock.move(Duration.ofMinutes(2).toMillis());
    long before = waits.waited.get();
    assertThat(map.expiry().reclaim()).isZero();
    assertThat(waits.waited.get()).isEqualTo(before);
    assertThat(store.<Long, RuntimeException>read(map.expiry()::storedEntries)).isEqualTo(3);
    release(store, map, 3);
    assertThat(map.expiry().reclaim()).isEqualTo(3);
    assertThat(newest(store, map)).isEqualTo(6);
  }

  @Test
  void aRemovalInAFullStoreWaitsRatherThanLoseAChange() {
    WordStore full = WordStore.inMemory(options().withMaxSize(1 << 20).withExecution(waits));
    try (full) {
      PersistentMap<String, Long> map =
          full.map(
              "map",
              Codec.utf8(),
              Codec.int64(),
              ChangeJournal.keeping(ChangeJournal.MAX_CHANGES).holdingWriters(LONG));
      long count = 0;
      try {
        while (true) {
          String key = "a key of some length, whose removal needs a block " + count;
          full.run(tx -> map.put(tx, key, 1L));
          count++;
        }
      } catch (RegionFullException e) {
        assertThat(count).isPositive();
      }
      for (long bytes = 1 << 16; bytes >= 16; bytes -= Math.max(16, bytes / 16 / 8 * 8)) {
        fill(full, bytes);
      }
      long removed = 0;
      try {
        for (; removed < count; removed++) {
          String key = "a key of some length, whose removal needs a block " + removed;
          full.run(tx -> map.remove(tx, key));
        }
      } catch (ChangesHeldException e) {
        assertThat(e).hasMessageContaining("no room for another change");
      }
      assertThat(full.<Long, RuntimeException>read(tx -> map.changes().oldest(tx))).isZero();
      long newest = full.<Long, RuntimeException>read(tx -> map.changes().newest(tx));
      assertThat(newest).isEqualTo(count + removed);
      assertThat(removed).as("else the store was not full").isLessThan(count);
      full.run(tx -> map.changes().release(tx, newest));
      for (long i = removed; i < count; i++) {
        String key = "a key of some length, whose removal needs a block " + i;
        boolean isRemoved = full.call(tx -> map.remove(tx, key));
        assertThat(isRemoved).isTrue();
        full.run(tx -> map.changes().release(tx, map.changes().newest(tx)));
      }
    }
  }

  private static void fill(WordStore full, long bytes) {
    try {
      while (true) {
        full.run(tx -> tx.allocate(bytes));
      }
    } catch (RegionFullException e) {
      // Shorter ones may fit.
    }
  }

  @Test
  void aSortedMapHoldsAsWell() {
    PersistentSortedMap<Long, Long> map =
        store.sortedMap("sorted", Codec.int64(), Codec.int64(), THREE);
    put(store, map, 1, 2, 3);
    assertThatThrownBy(() -> put(store, map, 4)).isInstanceOf(ChangesHeldException.class);
    release(store, map, 3);
    put(store, map, 4, 5, 6);
  }

  @Test
  void aCacheCannotHold() {
    assertThatThrownBy(() -> CacheOptions.ofEntries(10).withJournal(THREE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a cache must make room at any time");
  }

  @Test
  void theTimeIsFromAMillisecondToADay() {
    ChangeJournal three = ChangeJournal.keeping(3);
    for (Duration wrong :
        List.of(
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofSeconds(-1),
            Duration.ofDays(1).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThatThrownBy(() -> three.holdingWriters(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1 ms to a day, not " + wrong);
    }
    assertThat(three.holdingWriters(Duration.ofDays(1))).asString().contains("PT24H");
  }
}

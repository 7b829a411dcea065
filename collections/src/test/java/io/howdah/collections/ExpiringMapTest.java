package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.core.Execution;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** When entries of maps expire, what a transaction sees of it, and what becomes of them. */
final class ExpiringMapTest {

  @AutoClose private final WordMemory folder = new WordMemory();

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Expiry EXPIRY = Expiry.after(TTL);
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());
  private static final Index<String, String> BY_TEXT =
      Index.unique("by text", text -> text, Codec.utf8());

  private final SettableClock clock = new SettableClock();

  private WordOptions options() {
    return WordOptions.defaults()
        .withMaxSize(1 << 24)
        .withOrecs(1 << 12)
        .withPartitions(2)
        .withExecution(new NoReclaiming())
        .withClock(clock);
  }

  private static PersistentMap<Long, String> open(WordStore store) {
    return store.map("map", Codec.int64(), Codec.utf8(), EXPIRY);
  }

  private static Map<Long, String> contents(WordStore store, PersistentMap<Long, String> map) {
    return store.read(
        tx -> {
          Map<Long, String> all = new TreeMap<>();
          map.forEach(tx, all::put);
          return all;
        });
  }

  @Test
  void anEntryIsThereUntilItsTimeAndNowhereFromThenOn() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map =
          store.map("map", Codec.int64(), Codec.utf8(), EXPIRY, BY_LENGTH, BY_TEXT);
      store.run(tx -> map.put(tx, 1L, "one"));
      store.run(tx -> map.expiry().put(tx, 2L, "three", Duration.ofDays(1)));
      clock.move(TTL.toMillis() - 1);
      assertThat(contents(store, map)).containsOnlyKeys(1L, 2L);
      clock.move(1);
      store.read(
          (Tx tx) -> {
            assertThat(map.get(tx, 1L)).isNull();
            assertThat(map.containsKey(tx, 1L)).isFalse();
            assertThat(map.size(tx)).isEqualTo(1);
            assertThat(map.keys(tx)).containsExactly(2L);
            assertThat(map.values(tx)).containsExactly("three");
            assertThat(map.entries(tx)).containsExactly(Map.entry(2L, "three"));
            assertThat(map.asMap(tx)).isEqualTo(Map.of(2L, "three"));
            assertThat(map.index(BY_LENGTH).entries(tx).map(Map.Entry::getKey)).containsExactly(2L);
            assertThat(map.index(BY_LENGTH).size(tx)).isEqualTo(1);
            assertThat(map.index(BY_TEXT).get(tx, "one")).isNull();
            assertThat(map.expiry().remaining(tx, 1L)).isNull();
            assertThat(map.expiry().expiresAt(tx, 1L)).isNull();
            assertThat(map.expiry().storedEntries(tx)).isEqualTo(2);
            return 0;
          });
      assertThat(store.call((Tx tx) -> map.remove(tx, 1L))).isFalse();
      assertThat(store.call((Tx tx) -> map.expiry().storedEntries(tx))).isEqualTo(1);
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void reclaimingFreesWhatHasExpiredAndItsPlacesInIndexes() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map =
          store.map("map", Codec.int64(), Codec.utf8(), EXPIRY, BY_LENGTH, BY_TEXT);
      for (long key = 0; key < 500; key++) {
        long own = key;
        Duration time = Duration.ofSeconds(own % 2 == 0 ? 1 : 100);
        store.run(tx -> map.expiry().put(tx, own, "text " + own, time));
      }
      clock.move(1000);
      assertThat(map.expiry().reclaim()).isEqualTo(250);
      assertThat(store.reclaimedEntries()).isEqualTo(250);
      assertThat(store.read((Tx tx) -> map.expiry().storedEntries(tx))).isEqualTo(250);
      assertThat(store.read((Tx tx) -> map.index(BY_TEXT).size(tx))).isEqualTo(250);
      assertThat(map.expiry().reclaim()).isZero();
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void anExpiredEntryDoesNotKeepItsPlaceInAUniqueIndex() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map =
          store.map("map", Codec.int64(), Codec.utf8(), EXPIRY, BY_TEXT);
      store.run(tx -> map.put(tx, 1L, "text"));
      assertThatThrownBy(() -> store.run(tx -> map.put(tx, 2L, "text")))
          .isInstanceOf(UniqueIndexException.class);
      clock.move(TTL.toMillis());
      store.run(tx -> map.put(tx, 2L, "text"));
      assertThat(
              store.read((Tx tx) -> Objects.requireNonNull(map.index(BY_TEXT).first(tx, "text"))))
          .isEqualTo(Map.entry(2L, "text"));
      assertThat(map.expiry().reclaim()).isZero();
    }
  }

  /** The first index that names the entry removes it, and the second finds it gone. */
  @Test
  void anExpiredEntryThatHoldsPlacesInTwoUniqueIndexesIsRemovedOnce() {
    Index<String, Integer> byHash = Index.unique("by hash", String::hashCode, Codec.int32());
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map =
          store.map(
              "map",
              Codec.int64(),
              Codec.utf8(),
              EXPIRY,
              ChangeJournal.keeping(100),
              BY_TEXT,
              byHash);
      store.run(tx -> map.put(tx, 1L, "text"));
      clock.move(TTL.toMillis() - 1);
      store.run(tx -> map.put(tx, 3L, "other"));
      clock.move(1);
      store.run(
          tx -> {
            assertThat(map.get(tx, 3L)).isEqualTo("other"); // read last, so what is at hand
            map.put(tx, 2L, "text");
          });
      assertThat(contents(store, map)).isEqualTo(Map.of(2L, "text", 3L, "other"));
      assertThat(changes(store, map))
          .containsExactly(
              new Change.Put<>(1, 1L, "text"),
              new Change.Put<>(2, 3L, "other"),
              new Change.Expired<>(3, 1L),
              new Change.Put<>(4, 2L, "text"));
      assertThat(store.read((Tx tx) -> map.index(byHash).size(tx))).isEqualTo(2);
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void clearingTellsWhatWasRemovedFromWhatHadExpired() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map =
          store.map("map", Codec.int64(), Codec.utf8(), EXPIRY, ChangeJournal.keeping(100));
      store.run(tx -> map.put(tx, 1L, "expires"));
      store.run(tx -> map.expiry().putForever(tx, 2L, "stays"));
      clock.move(TTL.toMillis());
      store.run(map::clear);
      assertThat(changes(store, map))
          .hasSize(4)
          .contains(new Change.Expired<>(changeOf(store, map, 1L), 1L))
          .contains(new Change.Removed<>(changeOf(store, map, 2L), 2L));
      Blocks.assertNothingLeaks(store);
    }
  }

  private static List<Change<Long, String>> changes(
      WordStore store, PersistentMap<Long, String> map) {
    return store.read(tx -> map.changes().after(tx, 0, 100));
  }

  /** Returns the position of the last change of a key. */
  private static long changeOf(WordStore store, PersistentMap<Long, String> map, long key) {
    return changes(store, map).reversed().stream()
        .filter(change -> change.key() == key)
        .findFirst()
        .orElseThrow()
        .position();
  }

  @Test
  void anIndexIsBuiltOverWhatHasNotExpired() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      for (long key = 0; key < 200; key++) {
        long own = key;
        store.run(
            tx ->
                map.expiry()
                    .put(tx, own, "text " + own / 2, Duration.ofSeconds(own % 2 == 0 ? 1 : 100)));
      }
      clock.move(1000);
      PersistentMap<Long, String> indexed =
          store.map("map", Codec.int64(), Codec.utf8(), EXPIRY, BY_TEXT);
      assertThat(store.read((Tx tx) -> indexed.index(BY_TEXT).size(tx))).isEqualTo(100);
      clock.move(100_000);
      assertThat(contents(store, indexed)).isEmpty();
      long _ = indexed.expiry().reclaim();
      assertThat(store.read((Tx tx) -> indexed.expiry().storedEntries(tx))).isZero();
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void timesOfSingleEntries() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      EntryExpiry<Long, String> expiry = map.expiry();
      store.run(
          tx -> {
            map.put(tx, 1L, "one");
            expiry.put(tx, 2L, "two", Duration.ofNanos(1));
            expiry.put(tx, 3L, "three", Duration.ofSeconds(Long.MAX_VALUE));
            expiry.putForever(tx, 4L, "four");
            expiry.putUntil(tx, 5L, "five", Instant.ofEpochMilli(SettableClock.START));
            expiry.putUntil(tx, 6L, "six", Instant.MAX);
            expiry.putUntil(tx, 7L, "seven", Instant.MIN);
            expiry.put(tx, 8L, "eight", Duration.ofMillis(Long.MAX_VALUE));
          });
      store.read(
          (Tx tx) -> {
            assertThat(expiry.remaining(tx, 1L)).isEqualTo(TTL);
            assertThat(expiry.expiresAt(tx, 1L)).isEqualTo(clock.instant().plus(TTL));
            assertThat(expiry.remaining(tx, 2L)).isEqualTo(Duration.ofMillis(1));
            assertThat(expiry.remaining(tx, 3L)).isEqualTo(EntryExpiry.FOREVER);
            assertThat(expiry.expiresAt(tx, 4L)).isEqualTo(Instant.MAX);
            assertThat(expiry.remaining(tx, 8L)).isEqualTo(EntryExpiry.FOREVER);
            assertThat(map.keys(tx)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 6L, 8L);
            return 0;
          });
      clock.move(5000);
      assertThat(store.call((Tx tx) -> expiry.touch(tx, 1L))).isTrue();
      assertThat(store.call((Tx tx) -> expiry.touch(tx, 2L))).isFalse();
      assertThat(store.call((Tx tx) -> expiry.touch(tx, 4L, Duration.ofSeconds(7)))).isTrue();
      assertThat(store.call((Tx tx) -> expiry.touch(tx, 99L))).isFalse();
      clock.move(7000);
      assertThat(contents(store, map)).containsOnlyKeys(1L, 3L, 6L, 8L);
      assertThat(store.call((Tx tx) -> expiry.persist(tx, 1L))).isTrue();
      clock.move(Duration.ofDays(400_000).toMillis());
      assertThat(contents(store, map)).containsOnlyKeys(1L, 3L, 6L, 8L).containsEntry(1L, "one");
      for (Duration bad : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
        assertThatThrownBy(() -> store.run(tx -> expiry.put(tx, 1L, "x", bad)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("lives longer than 0");
        assertThatThrownBy(() -> Expiry.after(bad)).isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void aTransactionHasOneTime() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      store.run(tx -> map.put(tx, 1L, "one"));
      boolean both =
          store.call(
              tx -> {
                boolean before = map.containsKey(tx, 1L);
                clock.move(TTL.toMillis());
                map.put(tx, 2L, "two");
                return before
                    && map.containsKey(tx, 1L)
                    && TTL.equals(map.expiry().remaining(tx, 2L));
              });
      assertThat(both).isTrue();
      assertThat(contents(store, map)).isEmpty();
    }
  }

  /** Two entries expire at once; one is read, and then the other one is reclaimed. */
  @Test
  void noTransactionSeesThatAnEntryWasReclaimed() throws InterruptedException {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      for (boolean isReadOnly : new boolean[] {true, false}) {
        store.run(
            tx -> {
              map.put(tx, 1L, "one");
              map.put(tx, 2L, "two");
            });
        AtomicBoolean first = new AtomicBoolean(true);
        Thread other =
            new Thread(
                () -> {
                  clock.move(TTL.toMillis());
                  store.run(tx -> reclaimSecond(map, tx));
                });
        long seen =
            isReadOnly
                ? store.<Long, InterruptedException>read(tx -> both(map, tx, first, other))
                : store.<Long, InterruptedException>call(
                    tx -> {
                      map.put(tx, 3L, "three");
                      return both(map, tx, first, other);
                    });
        assertThat(seen).as("of two entries that expire together").isIn(0L, 2L);
      }
    }
  }

  private void reclaimSecond(PersistentMap<Long, String> map, Tx tx) {
    long _ = new ExpiryClock(clock).moveHorizon(map.words(tx));
    byte[] key = {Byte.MIN_VALUE, 0, 0, 0, 0, 0, 0, 2};
    assertThat(map.reclaim(map.words(tx), key)).isTrue();
  }

  private static long both(
      PersistentMap<Long, String> map, Tx tx, AtomicBoolean first, Thread other)
      throws InterruptedException {
    long seen = map.containsKey(tx, 1L) ? 1 : 0;
    if (first.getAndSet(false)) {
      other.start();
      other.join();
    }
    return map.containsKey(tx, 2L) ? seen + 1 : seen;
  }

  @Test
  void aClockThatIsSetBackALittleStandsAndFurtherIsFollowed() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      store.run(tx -> map.put(tx, 1L, "one"));
      clock.move(TTL.toMillis());
      assertThat(contents(store, map)).isEmpty();
      clock.move(-30_000);
      assertThat(contents(store, map)).isEmpty();
      store.run(tx -> map.put(tx, 2L, "two"));
      assertThat(store.read((Tx tx) -> Objects.requireNonNull(map.expiry().remaining(tx, 2L))))
          .isEqualTo(TTL);
      clock.move(-100_000);
      assertThat(contents(store, map)).containsOnlyKeys(1L, 2L);
      clock.move(200_000);
      long _ = map.expiry().reclaim();
      clock.move(-200_000);
      assertThat(contents(store, map)).isEmpty();
      store.run(tx -> map.put(tx, 3L, "three"));
      clock.move(TTL.toMillis());
      assertThat(contents(store, map)).isEmpty();
      long _ = map.expiry().reclaim(); // the horizon goes back with the clock
      assertThat(store.read((Tx tx) -> map.expiry().storedEntries(tx))).isZero();
    }
  }

  @Test
  void aMinuteIsTheMostThatAClockStandsStill() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      store.run(tx -> map.expiry().put(tx, 1L, "one", Duration.ofMillis(10)));
      clock.move(10);
      assertThat(contents(store, map)).isEmpty();
      clock.move(-60_000);
      assertThat(contents(store, map)).isEmpty();
      clock.move(-1);
      assertThat(contents(store, map)).containsOnlyKeys(1L);
    }
  }

  @Test
  void aMinuteIsTheMostThatTimeStandsStillAtTheHorizon() {
    try (WordStore store = WordStore.open(folder, options())) {
      PersistentMap<Long, String> map = open(store);
      store.run(tx -> map.expiry().put(tx, 1L, "one", Duration.ofMillis(10)));
      clock.move(10);
      assertThat(map.expiry().reclaim()).isEqualTo(1);
    }
    Instant horizon = clock.instant();
    clock.move(-60_000);
    assertThat(expiryOfANewEntry()).isEqualTo(horizon.plusMillis(5));
    clock.move(-1);
    assertThat(expiryOfANewEntry()).isEqualTo(clock.instant().plusMillis(5));
  }

  private Instant expiryOfANewEntry() {
    try (WordStore store = WordStore.open(folder, options())) {
      PersistentMap<Long, String> map = open(store);
      return store.call(
          (Tx tx) -> {
            map.expiry().put(tx, 2L, "two", Duration.ofMillis(5));
            return Objects.requireNonNull(map.expiry().expiresAt(tx, 2L));
          });
    }
  }

  @Test
  void whatIsReclaimedStaysAwayIfTheClockIsBehindAfterwards() {
    try (WordStore store = WordStore.open(folder, options())) {
      PersistentMap<Long, String> map = open(store);
      for (long key = 0; key < 100; key++) {
        long own = key;
        store.run(tx -> map.expiry().put(tx, own, "x", Duration.ofMillis(100 + own)));
      }
      clock.move(150); // those up to 50
      long _ = map.expiry().reclaim();
    }
    clock.move(-20);
    try (WordStore store = WordStore.open(folder, options())) {
      PersistentMap<Long, String> map = open(store);
      assertThat(contents(store, map)).hasSize(49);
      clock.move(20 + 50);
      assertThat(contents(store, map)).isEmpty();
    }
  }

  @Test
  void aMapKeepsWhetherItsEntriesExpire() {
    try (WordStore store = WordStore.inMemory(options())) {
      PersistentMap<Long, String> map = open(store);
      PersistentMap<Long, String> plain = store.map("plain", Codec.int64(), Codec.utf8());
      assertThatThrownBy(() -> store.map("map", Codec.int64(), Codec.utf8()))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining("is an expiring map of int64 to utf8")
          .hasMessageContaining("asked for as a map of int64 to utf8; its entries expire: open it")
          .hasMessageContaining("with an Expiry");
      assertThatThrownBy(() -> store.map("plain", Codec.int64(), Codec.utf8(), EXPIRY))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining("open it without an Expiry");
      assertThatThrownBy(() -> store.map("map", Codec.int64(), Codec.utf8(), EXPIRY, EXPIRY))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(plain::expiry)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("do not expire");
      store.run(tx -> map.put(tx, 1L, "one"));
      PersistentMap<Long, String> toRead = store.mapToRead("map", Codec.int64(), Codec.utf8());
      assertThat(store.read((Tx tx) -> Objects.requireNonNull(toRead.get(tx, 1L))))
          .isEqualTo("one");
      for (Runnable change :
          List.<Runnable>of(
              () -> store.run(tx -> toRead.put(tx, 2L, "two")),
              () -> store.run(tx -> toRead.expiry().persist(tx, 1L)))) {
        assertThatThrownBy(change::run).isInstanceOf(CollectionMismatchException.class);
      }
    }
  }

  @Test
  void theStoreReclaimsInTheBackgroundUntilItIsClosed() {
    WordStore store = WordStore.inMemory(options().withExecution(Execution.system()));
    PersistentMap<Long, String> map = open(store);
    store.run(tx -> map.put(tx, 1L, "one"));
    clock.move(TTL.toMillis());
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (store.<Long, RuntimeException>read(tx -> map.expiry().storedEntries(tx)) > 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    assertThat(threads()).isPositive();
    store.close();
    while (threads() > 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("howdah-expiry"))
        .count();
  }
}

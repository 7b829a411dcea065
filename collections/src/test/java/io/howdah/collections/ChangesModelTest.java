package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Changes;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The changes of a map, replayed into a plain map, give the map behind each transaction, while
 * transactions roll back to savepoints, take alternatives and abort.
 */
final class ChangesModelTest {

  private static final int KEYS = 40;
  private static final int TRANSACTIONS = 220;
  private static final int KEPT = 300;
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());

  private final SettableClock clock = new SettableClock();
  private final Map<String, String> copy = new HashMap<>();
  private final List<Change<String, String>> told = new ArrayList<>();
  private long position;

  /** The maps that have journals, with keys and values of one length and of several. */
  enum Kind {
    MAP,
    INDEXED,
    EXPIRING,
    SORTED
  }

  private static WordStore store(SettableClock clock) {
    return WordStore.inMemory(
        WordOptions.defaults()
            .withMaxSize(1 << 22)
            .withOrecs(1 << 10)
            .withPartitions(2)
            .withExecution(new NoReclaiming())
            .withClock(clock));
  }

  private static KeyedCollection<String, String> open(WordStore store, Kind kind) {
    ChangeJournal journal = ChangeJournal.keeping(KEPT);
    return switch (kind) {
      case MAP -> store.map("map", Codec.utf8(), Codec.utf8(), journal);
      case INDEXED -> store.map("map", Codec.utf8(), Codec.utf8(), journal, BY_LENGTH);
      case EXPIRING ->
          store.map("map", Codec.utf8(), Codec.utf8(), BY_LENGTH, Expiry.perEntry(), journal);
      case SORTED -> store.sortedMap("map", Codec.utf8(), Codec.utf8(), BY_LENGTH, journal);
    };
  }

  @ParameterizedTest
  @CsvSource({"MAP, 1", "INDEXED, 2", "EXPIRING, 3", "SORTED, 4", "MAP, 5", "EXPIRING, 6"})
  void replayedChangesGiveTheMap(Kind kind, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (WordStore store = store(clock)) {
      KeyedCollection<String, String> map = open(store, kind);
      for (int n = 0; n < TRANSACTIONS; n++) {
        transaction(store, map, random.split());
        if (kind == Kind.EXPIRING && n % 5 == 0) {
          clock.move(20);
          long _ = ((PersistentMap<String, String>) map).expiry().reclaim();
        }
        store.read(tx -> replay(map, tx));
      }
      assertThat(told).extracting(Change::position).first().isEqualTo(1L);
      assertThat(told).hasSize((int) position).hasSizeGreaterThan(2 * KEPT);
      assertThat(told.stream().anyMatch(c -> c instanceof Change.Expired<String, String>))
          .isEqualTo(kind == Kind.EXPIRING);
      store.read(
          tx -> {
            assertThat(map.changes().oldest(tx)).isEqualTo(position - KEPT);
            assertThat(map.changes().after(tx, position - KEPT, KEPT + 9))
                .isEqualTo(told.subList((int) position - KEPT, (int) position));
            return 0;
          });
      Blocks.assertNothingLeaks(store);
      assertThat(store.drop("map")).isTrue();
      Blocks.assertNothingLeaks(store);
      assertThat(store.read(store::collections)).isEmpty();
    }
  }

  private static void transaction(
      WordStore store, KeyedCollection<String, String> map, SplittableRandom seeds) {
    try {
      store.run(
          tx -> {
            SplittableRandom random = seeds.split();
            steps(map, tx, random);
            Savepoint savepoint = tx.savepoint();
            tx.run(inner -> steps(map, inner, random));
            if (random.nextInt(3) == 0) {
              tx.rollBack(savepoint);
            }
            if (random.nextInt(3) == 0) {
              tx.<Integer, RuntimeException>orElse(
                  inner -> {
                    steps(map, inner, random);
                    throw inner.retry();
                  },
                  inner -> {
                    steps(map, inner, random);
                    return 0;
                  });
            }
            if (random.nextInt(6) == 0) {
              throw tx.abort();
            }
          });
    } catch (TransactionAbortedException e) {
      // It has left no trace.
    }
  }

  private static void steps(KeyedCollection<String, String> map, Tx tx, SplittableRandom random) {
    for (int i = random.nextInt(5); i > 0; i--) {
      String key = "k".repeat(random.nextInt(12)) + random.nextInt(KEYS);
      String value = "v".repeat(random.nextInt(40));
      switch (random.nextInt(8)) {
        case 0, 1 -> map.remove(tx, key);
        case 2 -> map.putIfAbsent(tx, key, value);
        case 3 -> map.compute(tx, key, (_, old) -> old == null ? value : null);
        case 4 -> {
          if (random.nextInt(20) == 0) {
            map.clear(tx);
          }
        }
        default -> put(map, tx, key, value, random.nextInt(100));
      }
    }
  }

  private static void put(
      KeyedCollection<String, String> map, Tx tx, String key, String value, int millis) {
    if (map instanceof PersistentMap<String, String> hash && hash.expires() && millis > 0) {
      hash.expiry().put(tx, key, value, java.time.Duration.ofMillis(millis));
    } else {
      map.put(tx, key, value);
    }
  }

  private int replay(KeyedCollection<String, String> map, Tx tx) {
    Changes<String, String> changes = map.changes();
    for (var found = changes.after(tx, position, 7);
        !found.isEmpty();
        found = changes.after(tx, position, 7)) {
      for (Change<String, String> change : found) {
        assertThat(change.position()).isEqualTo(++position);
        told.add(change);
        switch (change) {
          case Change.Put<String, String>(_, String key, String value) -> copy.put(key, value);
          case Change.Removed<String, String> removed ->
              assertThat(copy.remove(removed.key())).isNotNull();
          case Change.Expired<String, String> expired ->
              assertThat(copy.remove(expired.key())).isNotNull();
          case Change.Evicted<String, String> evicted ->
              throw new AssertionError("a map evicts nothing: " + evicted);
        }
      }
    }
    assertThat(changes.newest(tx)).isEqualTo(position);
    if (map instanceof PersistentMap<String, String> hash) {
      Map<String, Boolean> stored = new HashMap<>();
      byte[] end =
          hash.walkStored(tx, null, Integer.MAX_VALUE / 2, (key, _, _) -> stored.put(key, true));
      assertThat(end).isNull();
      assertThat(copy.keySet()).isEqualTo(stored.keySet());
      hash.forEach(tx, (key, value) -> assertThat(copy).containsEntry(key, value));
    } else {
      assertThat(map).isInstanceOf(PersistentSortedMap.class);
      Map<String, String> contents = new HashMap<>();
      ((PersistentSortedMap<String, String>) map)
          .entries(tx)
          .forEach(entry -> contents.put(entry.getKey(), entry.getValue()));
      assertThat(copy).isEqualTo(contents);
    }
    return 0;
  }
}

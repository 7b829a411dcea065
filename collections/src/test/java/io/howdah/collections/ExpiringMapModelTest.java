package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A map with an expiry and two indexes, held to a plain Java model in random transactions, some of
 * which roll back or abort, while the clock moves and entries are reclaimed now and then.
 */
final class ExpiringMapModelTest {

  private static final int KEYS = 60;
  private static final int TRANSACTIONS = 150;
  private static final Duration TTL = Duration.ofMillis(50);
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());
  private static final Index<String, String> BY_TEXT =
      Index.unique("by text", text -> text.isEmpty() ? null : text, Codec.utf8());

  /** What the model has of an entry: its value, and when it expires. */
  private record Timed(String value, long at) {}

  private final SettableClock clock = new SettableClock();
  private Map<Long, Timed> model = new HashMap<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void theMapIsLikeItsModel(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (WordStore store =
        WordStore.inMemory(
            WordOptions.defaults()
                .withMaxSize(1 << 22)
                .withOrecs(1 << 10)
                .withPartitions(2)
                .withExecution(new NoReclaiming())
                .withClock(clock))) {
      PersistentMap<Long, String> map =
          store.map("map", Codec.int64(), Codec.utf8(), Expiry.after(TTL), BY_LENGTH, BY_TEXT);
      for (int n = 0; n < TRANSACTIONS; n++) {
        clock.move(random.nextInt(8));
        transaction(store, map, random);
        if (random.nextInt(10) == 0) {
          long _ = map.expiry().reclaim();
        }
        store.read(
            (Tx tx) -> {
              assertSame(map, tx);
              return 0;
            });
      }
      clock.move(1_000_000);
      long _ = map.expiry().reclaim();
      long stored = store.<Long, RuntimeException>read(tx -> map.expiry().storedEntries(tx));
      assertThat(stored).isEqualTo(model.values().stream().filter(e -> e.at() == 0).count());
      Blocks.assertNothingLeaks(store);
    }
  }

  private void transaction(
      WordStore store, PersistentMap<Long, String> map, SplittableRandom random) {
    Map<Long, Timed> before = model;
    SplittableRandom once = random.split();
    try {
      store.run(
          tx -> {
            SplittableRandom own = once.split(); // repeated if it loses to the reclaiming thread
            model = alive(before);
            steps(map, tx, own);
            assertSame(map, tx);
            Map<Long, Timed> kept = model;
            Savepoint savepoint = tx.savepoint();
            tx.run(inner -> steps(map, inner, own));
            if (own.nextInt(3) == 0) {
              tx.rollBack(savepoint);
              model = kept;
            }
            assertSame(map, tx);
            if (own.nextInt(6) == 0) {
              throw tx.abort();
            }
          });
    } catch (TransactionAbortedException e) {
      model = alive(before);
    }
  }

  private Map<Long, Timed> alive(Map<Long, Timed> entries) {
    Map<Long, Timed> alive = new HashMap<>(entries);
    alive.values().removeIf(entry -> entry.at() != 0 && entry.at() <= clock.millis());
    return alive;
  }

  private void steps(PersistentMap<Long, String> map, Tx tx, SplittableRandom random) {
    model = new HashMap<>(model);
    for (int i = random.nextInt(6); i > 0; i--) {
      long key = random.nextInt(KEYS);
      long millis = 1L + random.nextInt(100);
      Timed old = model.get(key);
      switch (random.nextInt(10)) {
        case 0, 1 -> {
          map.put(tx, key, text(key, random));
          set(key, map.get(tx, key), TTL.toMillis());
        }
        case 2, 3 -> {
          map.expiry().put(tx, key, text(key, random), Duration.ofMillis(millis));
          set(key, map.get(tx, key), millis);
        }
        case 4 -> {
          assertThat(map.remove(tx, key)).isEqualTo(old != null);
          model.remove(key);
        }
        case 5 -> {
          assertThat(map.expiry().touch(tx, key, Duration.ofMillis(millis))).isEqualTo(old != null);
          set(key, old == null ? null : old.value(), millis);
        }
        case 6 -> {
          assertThat(map.expiry().persist(tx, key)).isEqualTo(old != null);
          if (old != null) {
            model.put(key, new Timed(old.value(), 0));
          }
        }
        case 7 -> {
          String now = map.asMap(tx).compute(key, (_, value) -> value == null ? "" : null);
          assertThat(now).isEqualTo(old == null ? "" : null);
          model.remove(key);
          set(key, now, TTL.toMillis());
        }
        case 8 -> {
          long again = random.nextInt(KEYS);
          assertThat(map.containsKey(tx, again)).isEqualTo(model.containsKey(again));
        }
        default -> {
          if (random.nextInt(20) == 0) {
            map.clear(tx);
            model.clear();
          }
        }
      }
    }
  }

  private void set(long key, @Nullable String value, long millis) {
    if (value != null) {
      model.put(key, new Timed(value, clock.millis() + millis));
    }
  }

  /** Two keys share a text, so that one entry of them at most is there. */
  private String text(long key, SplittableRandom random) {
    String text = "x".repeat(random.nextInt(4)) + key / 2;
    boolean isTaken =
        model.entrySet().stream()
            .anyMatch(e -> e.getKey() != key && e.getValue().value().equals(text));
    return isTaken ? "" : text;
  }

  private void assertSame(PersistentMap<Long, String> map, Tx tx) {
    Map<Long, Timed> alive = alive(model);
    Map<Long, String> expected = new TreeMap<>();
    alive.forEach((key, entry) -> expected.put(key, entry.value()));
    Map<Long, String> shown = new TreeMap<>();
    map.forEach(tx, shown::put);
    assertThat(shown).isEqualTo(expected);
    assertThat(map.size(tx)).isEqualTo(expected.size());
    assertThat(map.isEmpty(tx)).isEqualTo(expected.isEmpty());
    assertThat(new TreeMap<>(map.asMap(tx))).isEqualTo(expected);
    assertThat(map.keys(tx)).containsExactlyInAnyOrderElementsOf(expected.keySet());
    assertThat(map.index(BY_LENGTH).entries(tx).map(Map.Entry::getKey))
        .containsExactlyElementsOf(
            expected.entrySet().stream()
                .sorted(
                    Comparator.comparingInt((Map.Entry<Long, String> e) -> e.getValue().length())
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList());
    List<String> texts = expected.values().stream().filter(t -> !t.isEmpty()).sorted().toList();
    assertThat(map.index(BY_TEXT).entries(tx).map(Map.Entry::getValue))
        .containsExactlyElementsOf(texts);
    assertThat(map.index(BY_TEXT).size(tx)).isEqualTo(texts.size());
    for (long key = 0; key < KEYS; key += 7) {
      Timed entry = alive.get(key);
      assertThat(map.get(tx, key)).isEqualTo(entry == null ? null : entry.value());
      assertThat(map.expiry().remaining(tx, key))
          .isEqualTo(
              entry == null
                  ? null
                  : entry.at() == 0
                      ? EntryExpiry.FOREVER
                      : Duration.ofMillis(entry.at() - clock.millis()));
    }
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Walks through a map, some entries in each transaction, while the map changes. */
final class MapWalkTest {

  @AutoClose private final WordMemory folder = new WordMemory();

  private static final WordOptions OPTIONS =
      WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 14).withPartitions(1);

  /** A walk that ends shows its position 0 long before so many calls. */
  private static final int MAX_CALLS = 1 << 20;

  private WordStore store = WordStore.inMemory(OPTIONS);
  private PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());

  @AfterEach
  void close() {
    store.close();
  }

  private void put(long from, long to) {
    for (long first = from; first < to; first += 50) {
      long start = first;
      store.run(
          tx ->
              LongStream.range(start, Math.min(to, start + 50))
                  .forEach(key -> map.put(tx, key, -key)));
    }
  }

  /** One call of a walk; counts how often each key was shown. */
  private long step(long position, int entries, Map<Long, Integer> shown) {
    List<Long> keys = new ArrayList<>();
    long next =
        store.call(
            tx -> {
              keys.clear();
              return map.walk(
                  tx,
                  position,
                  entries,
                  (key, value) -> {
                    assertThat(value).isEqualTo(-key);
                    keys.add(key);
                  });
            });
    keys.forEach(key -> shown.merge(key, 1, Integer::sum));
    return next;
  }

  private Map<Long, Integer> walk(int entries) {
    Map<Long, Integer> shown = new HashMap<>();
    long position = 0;
    int calls = 0;
    do {
      position = step(position, entries, shown);
      assertThat(calls++).isLessThan(MAX_CALLS);
    } while (position != 0);
    return shown;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100, Integer.MAX_VALUE})
  void everyEntryIsShownOnce(int entries) {
    assertThat(walk(entries)).isEmpty();
    put(0, 3000);
    assertThat(walk(entries)).hasSize(3000).allSatisfy((_, times) -> assertThat(times).isOne());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatStaysIsShownOnceHoweverTheMapChangesBetweenTheCalls(long seed) {
    Random random = new Random(seed);
    put(0, 500);
    Map<Long, Integer> shown = new HashMap<>();
    long position = 0;
    long added = 500;
    do {
      position = step(position, 1 + random.nextInt(20), shown);
      if (added < 20_000) {
        put(added, added + 500); // the number of buckets grows fortyfold during the walk
        added += 500;
      }
      long from = added;
      store.run(tx -> random.longs(20, 500, from).forEach(key -> map.remove(tx, key)));
    } while (position != 0);
    for (long key = 0; key < 500; key++) {
      assertThat(shown).containsEntry(key, 1);
    }
    assertThat(shown.values()).allMatch(times -> times == 1);
  }

  @Test
  void theFunctionMayRemoveWhatItIsShown() {
    put(0, 2000);
    long position = 0;
    do {
      long from = position;
      position = store.call(tx -> map.walk(tx, from, 10, (key, _) -> map.remove(tx, key)));
    } while (position != 0);
    assertThat(store.read(map::size)).isZero();
  }

  @Test
  void aPositionIsGoodInAnotherOpeningOfTheStore() {
    store.close();
    store = WordStore.open(folder, OPTIONS);
    map = store.map("map", Codec.int64(), Codec.int64());
    put(0, 1000);
    Map<Long, Integer> shown = new HashMap<>();
    long position = step(0, 400, shown);
    store.close();
    store = WordStore.open(folder, OPTIONS);
    map = store.map("map", Codec.int64(), Codec.int64());
    while (position != 0) {
      position = step(position, 400, shown);
    }
    assertThat(shown).hasSize(1000).allSatisfy((_, times) -> assertThat(times).isOne());
  }

  @Test
  void everyNumberIsAPosition() {
    put(0, 2000);
    Random random = new Random(1);
    LongStream.concat(
            LongStream.of(1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 58, (1L << 58) - 1),
            random.longs(100))
        .forEach(
            start -> {
              Map<Long, Integer> behind = new HashMap<>();
              for (long at = step(start, 30, behind); at != 0; ) {
                at = step(at, 30, behind);
              }
              assertThat(behind.values()).allMatch(times -> times == 1);
              // From the beginning up to the place where this walk has begun: the rest.
              Map<Long, Integer> all = new HashMap<>(behind);
              long at = 0;
              do {
                at = step(at, 1, all);
              } while (at != 0 && Long.compareUnsigned(at, start) < 0);
              assertThat(all).hasSize(2000);
            });
  }

  @Test
  void randomPositionsLeadToDifferentPlaces() {
    put(0, 2000);
    Map<Long, Integer> shown = new HashMap<>();
    new Random(1).longs(200).forEach(start -> step(start, 1, shown));
    assertThat(shown).hasSizeGreaterThan(100);
  }

  @Test
  void aCallEndsWhereAMapHasBecomeAlmostEmpty() {
    put(0, 50_000);
    store.run(tx -> LongStream.range(1, 50_000).forEach(key -> map.remove(tx, key)));
    Map<Long, Integer> shown = new HashMap<>();
    int calls = 0;
    long position = 0;
    do {
      position = step(position, 1, shown);
      calls++;
    } while (position != 0);
    assertThat(shown).containsOnly(Map.entry(0L, 1));
    assertThat(calls).isBetween(100, 1000); // of some 10 000 buckets
  }

  @Test
  void aCallThatMayShowNothingIsRefused() {
    assertThatThrownBy(() -> step(0, 0, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("map of int64 to int64 \"map\"")
        .hasMessageContaining("not 0");
  }
}

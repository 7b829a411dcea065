package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Maps and sorted maps of a few hundred entries, beside those of {@code java.util}: they fill in
 * ascending, descending and random order, change, roll back, and become empty again. After each
 * step everything that they show is compared, and every block in use has an owner. It is short, so
 * that it can judge many mutants.
 */
final class SmallMapsModelTest {

  private static final int KEYS = 400;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  /** A map and a sorted map with the same entries, and what these should be. */
  private final class Subject<K, V> {

    private final PersistentMap<K, V> map;
    private final PersistentSortedMap<K, V> sorted;
    private final IntFunction<K> key;
    private final IntFunction<V> value;
    private TreeMap<K, V> expected = new TreeMap<>();

    Subject(OrderedCodec<K> keys, Codec<V> values, IntFunction<K> key, IntFunction<V> value) {
      this.map = store.map("map", keys, values);
      this.sorted = store.sortedMap("sorted", keys, values);
      this.key = key;
      this.value = value;
    }

    private void put(Tx tx, K k, V v) {
      expected.put(k, v);
      map.put(tx, k, v);
      sorted.put(tx, k, v);
    }

    private void remove(Tx tx, K k) {
      boolean was = expected.remove(k) != null;
      assertThat(map.remove(tx, k)).isEqualTo(was);
      assertThat(sorted.remove(tx, k)).isEqualTo(was);
    }

    /** Puts keys in an order, some in each transaction. */
    private void fill(List<Integer> numbers) {
      for (int i = 0; i < numbers.size(); i += 50) {
        List<Integer> some = numbers.subList(i, Math.min(i + 50, numbers.size()));
        TreeMap<K, V> before = expected;
        store.run(
            tx -> {
              expected = new TreeMap<>(before);
              some.forEach(each -> put(tx, key.apply(each), value.apply(each)));
            });
      }
      check();
    }

    /** Removes all keys in an order; the maps are compared when few are left, too. */
    private void empty(List<Integer> numbers) {
      for (int i = 0; i < numbers.size(); i += 90) {
        List<Integer> some = numbers.subList(i, Math.min(i + 90, numbers.size()));
        TreeMap<K, V> before = expected;
        store.run(
            tx -> {
              expected = new TreeMap<>(before);
              some.forEach(each -> remove(tx, key.apply(each)));
            });
        check();
      }
      assertThat(expected).isEmpty();
    }

    /** Random changes, with parts that are rolled back. */
    private void change(int seed) {
      TreeMap<K, V> before = expected;
      store.run(
          tx -> {
            expected = new TreeMap<>(before);
            SplittableRandom random = new SplittableRandom(seed);
            for (int part = 0; part < 6; part++) {
              Savepoint savepoint = tx.savepoint();
              TreeMap<K, V> then = new TreeMap<>(expected);
              for (int i = 0; i < 60; i++) {
                K k = key.apply(random.nextInt(KEYS));
                if (random.nextInt(3) == 0) {
                  remove(tx, k);
                } else {
                  put(tx, k, value.apply(random.nextInt()));
                }
              }
              if (part % 2 == 0) {
                tx.rollBack(savepoint);
                expected = then;
              }
            }
          });
      check();
    }

    private void check() {
      store.read(
          tx -> {
            assertThat(map.size(tx)).isEqualTo(expected.size());
            assertThat(sorted.size(tx)).isEqualTo(expected.size());
            assertThat(map.isEmpty(tx)).isEqualTo(expected.isEmpty());
            Map<K, V> found = new HashMap<>();
            map.forEach(tx, (k, v) -> assertThat(found.put(k, v)).isNull());
            assertThat(found).isEqualTo(expected);
            assertThat(sorted.entries(tx).toList()).isEqualTo(List.copyOf(expected.entrySet()));
            assertThat(sorted.range(tx, Range.reversed(Range.all())).toList())
                .isEqualTo(List.copyOf(expected.descendingMap().entrySet()));
            for (int i = 0; i < KEYS; i += 3) {
              K k = key.apply(i);
              List<Object> around = new ArrayList<>();
              around.add(map.get(tx, k));
              around.add(map.containsKey(tx, k));
              around.add(sorted.get(tx, k));
              around.add(sorted.floor(tx, k));
              around.add(sorted.ceiling(tx, k));
              around.add(sorted.lower(tx, k));
              around.add(sorted.higher(tx, k));
              List<Object> wanted = new ArrayList<>();
              wanted.add(expected.get(k));
              wanted.add(expected.containsKey(k));
              wanted.add(expected.get(k));
              wanted.add(expected.floorEntry(k));
              wanted.add(expected.ceilingEntry(k));
              wanted.add(expected.lowerEntry(k));
              wanted.add(expected.higherEntry(k));
              if (!around.equals(wanted)) {
                assertThat(around).isEqualTo(wanted);
              }
            }
            return 0;
          });
      Blocks.assertNothingLeaks(store);
    }

    void checkAll() {
      List<Integer> ascending = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        ascending.add(i);
      }
      List<Integer> shuffled = new ArrayList<>(ascending);
      Collections.shuffle(shuffled, new Random(9));
      check();
      fill(ascending);
      empty(shuffled);
      fill(ascending.reversed());
      change(1);
      empty(ascending);
      fill(shuffled);
      change(2);
      empty(ascending.reversed());
      assertThat(store.drop("map")).isTrue();
      assertThat(store.drop("sorted")).isTrue();
      Blocks.assertNothingLeaks(store);
    }
  }

  private static String text(int number, int length) {
    char[] chars = new char[length];
    for (int i = 0; i < length; i++) {
      chars[i] = (char) ('a' + (number + i) % 26);
    }
    return new String(chars);
  }

  @Test
  void numbersToNumbers() {
    new Subject<>(Codec.int64(), Codec.int64(), i -> i * 1_000_003L - 5, i -> (long) i).checkAll();
  }

  @Test
  void numbersToShortNumbers() {
    new Subject<>(Codec.int64(), Codec.int16(), i -> (long) -i, i -> (short) i).checkAll();
  }

  @Test
  void shortKeysToBytes() {
    new Subject<>(Codec.int16(), Codec.int8(), i -> (short) (i - 200), i -> (byte) i).checkAll();
  }

  @Test
  void numbersToTexts() {
    new Subject<>(
            Codec.int64(), Codec.utf8(), i -> (long) i, i -> text(i, (i & 63) == 1 ? 700 : i & 31))
        .checkAll();
  }

  /** Keys of up to three words, which share their first ones; some are beginnings of others. */
  @Test
  void textsToNumbers() {
    new Subject<>(
            Codec.utf8(),
            Codec.int64(),
            i -> "shared beginning".substring(0, 6 + i % 11) + Integer.toString(i / 11, 3),
            i -> (long) i)
        .checkAll();
  }

  /** The entry of a key that separates nodes ends where its block does. */
  @Test
  void textsOfThreeWords() {
    new Subject<>(Codec.utf8(), Codec.int64(), i -> "%024d".formatted(i * 7L), i -> (long) i)
        .checkAll();
  }

  @Test
  void textsToTexts() {
    new Subject<>(
            Codec.utf8(), Codec.utf8(), i -> Integer.toString(i, 2), i -> text(i, (i & 15) * 9))
        .checkAll();
  }

  /** What a tree does not write is not 0 where another one was. */
  @Test
  void aSortedMapIsEmptyWhereOthersWere() {
    PersistentSortedMap<Long, Long> large = store.sortedMap("large", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long key = 0; key < KEYS; key++) {
            large.put(tx, key * 37 % KEYS, key);
          }
        });
    assertThat(store.drop("large")).isTrue();
    for (long i = 0; i < 40; i++) {
      long key = i;
      PersistentSortedMap<Long, Long> small =
          store.sortedMap("small" + i, Codec.int64(), Codec.int64());
      store.run(
          tx -> {
            assertThat(small.first(tx)).isNull();
            assertThat(small.get(tx, 0L)).isNull();
            assertThat(small.keys(tx).toList()).isEmpty();
            assertThat(small.range(tx, Range.reversed(Range.all())).toList()).isEmpty();
            small.put(tx, key, 1L);
            assertThat(small.keys(tx).toList()).containsExactly(key);
            assertThat(small.range(tx, Range.reversed(Range.all())).toList()).hasSize(1);
          });
    }
    Blocks.assertNothingLeaks(store);
  }

  /** Each context counts in a word of its own. */
  @Test
  void entriesOfTransactionsAtTheSameTimeAreCounted() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    PersistentSortedMap<Long, Long> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.int64());
    nested(map, sorted, 5);
    store.read(
        tx -> {
          assertThat(map.size(tx)).isEqualTo(5);
          assertThat(sorted.size(tx)).isEqualTo(5);
          assertThat(sorted.keys(tx).toList()).containsExactly(1L, 2L, 3L, 4L, 5L);
          return 0;
        });
    Blocks.assertNothingLeaks(store);
  }

  /** Puts keys, each in a transaction within which another thread runs the one for the next. */
  private void nested(
      PersistentMap<Long, Long> map, PersistentSortedMap<Long, Long> sorted, long key) {
    store.run(
        tx -> {
          if (key > 1 && map.size(tx) == 0) {
            CompletableFuture.runAsync(() -> nested(map, sorted, key - 1)).join();
          }
          map.put(tx, key, key);
          sorted.put(tx, key, key);
        });
  }
}

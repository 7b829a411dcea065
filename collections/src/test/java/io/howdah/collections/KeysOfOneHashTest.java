package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.txn.Tx;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Keys that differ by zero bytes at their ends, such as those of the numbers 1 and 512, share their
 * hash in tables with certain secrets. Many tables, each with a secret of its own.
 */
final class KeysOfOneHashTest {

  private static final int TABLES = 50;
  private static final Index<Long, Long> BY_VALUE = Index.of("value", (Long v) -> v, Long.class);

  /** Numbers whose bytes are one byte, or that byte and one to seven zeros. */
  private static final List<BigInteger> KEYS =
      LongStream.rangeClosed(1, 8)
          .mapToObj(BigInteger::valueOf)
          .flatMap(
              number -> Stream.iterate(number, each -> each.shiftLeft(Byte.SIZE)).limit(Long.BYTES))
          .toList();

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 14).withPartitions(1));

  @AfterEach
  void close() {
    store.close();
  }

  private PersistentMap<BigInteger, Long> filled(int number) {
    PersistentMap<BigInteger, Long> map =
        store.map("map " + number, Codecs.bigInteger(), Codec.int64());
    store.run(tx -> KEYS.forEach(key -> map.put(tx, key, 0L)));
    return map;
  }

  /** Does something to many tables, and then expects them to be empty. */
  private void emptied(BiConsumer<Tx, PersistentMap<BigInteger, Long>> change) {
    for (int i = 0; i < TABLES; i++) {
      PersistentMap<BigInteger, Long> map = filled(i);
      store.run(tx -> change.accept(tx, map));
      store.run(tx -> assertThat(map.keys(tx)).as("keys that are left").isEmpty());
    }
  }

  @Test
  void aClearRemovesAll() {
    emptied((tx, map) -> map.clear(tx));
  }

  @Test
  void aClearOfAViewRemovesAll() {
    emptied((tx, map) -> map.asMap(tx).clear());
  }

  @Test
  void removeIfShowsAll() {
    emptied((tx, map) -> map.asMap(tx).keySet().removeIf(_ -> true));
  }

  @Test
  void removeAllOfTheKeysOfAMapRemovesAll() {
    emptied((tx, map) -> map.removeAll(tx, map.asMap(tx).keySet()));
  }

  @Test
  void replaceAllShowsAll() {
    for (int i = 0; i < TABLES; i++) {
      PersistentMap<BigInteger, Long> map = filled(i);
      store.run(tx -> map.asMap(tx).replaceAll((_, value) -> value + 1));
      store.run(tx -> assertThat(map.values(tx)).containsOnly(1L));
    }
  }

  @Test
  void anIteratorShowsEachKeyOnceWhileTheTableChanges() {
    for (int i = 0; i < TABLES; i++) {
      PersistentMap<BigInteger, Long> map = filled(i);
      store.run(
          tx -> {
            List<BigInteger> shown = new ArrayList<>();
            for (Iterator<BigInteger> keys = map.keys(tx).iterator(); keys.hasNext(); ) {
              shown.add(keys.next());
              map.put(tx, shown.getFirst(), (long) shown.size());
            }
            assertThat(shown).as("table").containsExactlyInAnyOrderElementsOf(KEYS);
          });
    }
  }

  /** Each entry that was shown moves to another block; some leave and come back. */
  @Test
  void anIteratorKnowsEntriesThatHaveMoved() {
    for (int i = 0; i < TABLES; i++) {
      PersistentMap<BigInteger, String> map =
          store.map("map " + i, Codecs.bigInteger(), Codec.utf8());
      store.run(tx -> KEYS.forEach(key -> map.put(tx, key, "")));
      store.run(
          tx -> {
            List<BigInteger> shown = new ArrayList<>();
            for (Iterator<BigInteger> keys = map.keys(tx).iterator(); keys.hasNext(); ) {
              BigInteger key = keys.next();
              shown.add(key);
              if (shown.size() % 3 == 0) {
                assertThat(map.remove(tx, key)).isTrue();
              }
              map.put(tx, key, "a longer value ".repeat(shown.size() % 5));
            }
            assertThat(shown).as("table").containsExactlyInAnyOrderElementsOf(KEYS);
          });
    }
  }

  @Test
  void aWalkThatWritesShowsEachKeyOnce() {
    for (int i = 0; i < TABLES; i++) {
      PersistentMap<BigInteger, Long> map = filled(i);
      List<BigInteger> shown = new ArrayList<>();
      long position = 0;
      do {
        long from = position;
        position =
            store.call(
                tx ->
                    map.walk(
                        tx,
                        from,
                        3,
                        (key, value) -> {
                          shown.add(key);
                          map.put(tx, key, value + 1);
                        }));
      } while (position != 0);
      assertThat(shown).as("table %s", i).containsExactlyInAnyOrderElementsOf(KEYS);
    }
  }

  @Test
  void anIndexIsBuiltOfAll() {
    for (int i = 0; i < TABLES; i++) {
      PersistentMap<BigInteger, Long> plain = filled(i);
      PersistentMap<BigInteger, Long> map =
          store.map(plain.name(), Codecs.bigInteger(), Codec.int64(), BY_VALUE);
      store.run(
          tx -> {
            assertThat(map.index(BY_VALUE).size(tx)).as("table").isEqualTo(KEYS.size());
            KEYS.forEach(key -> map.put(tx, key, 1L));
          });
    }
  }

  @Test
  void anIteratorOfASetShowsEachElementOnce() {
    for (int i = 0; i < TABLES; i++) {
      PersistentSet<List<String>> set = store.set("set " + i, Codecs.list(Codec.utf8()));
      Set<List<String>> expected = new HashSet<>();
      for (String word : List.of("a", "b", "c", "d")) {
        expected.add(List.of(word));
        expected.add(List.of(word, ""));
      }
      store.run(
          tx -> {
            expected.forEach(element -> set.add(tx, element));
            for (Iterator<List<String>> all = set.iterator(tx); all.hasNext(); ) {
              assertThat(set.remove(tx, all.next())).isTrue();
            }
            assertThat(set.size(tx)).as("elements left").isZero();
          });
    }
  }
}

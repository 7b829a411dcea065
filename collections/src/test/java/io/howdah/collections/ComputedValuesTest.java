package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.txn.Tx;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Functions of {@code compute} and its like that change the map themselves. */
final class ComputedValuesTest {

  private final WordStore store = WordStore.inMemory();

  @AfterEach
  void close() {
    store.close();
  }

  private List<KeyedCollection<Long, String>> maps() {
    return List.of(
        store.map("map", Codec.int64(), Codec.utf8()),
        store.sortedMap("sorted", Codec.int64(), Codec.utf8()),
        store.map("journaled", Codec.int64(), Codec.utf8(), ChangeJournal.keeping(9)));
  }

  private static void requireAbsent(KeyedCollection<Long, String> map, Tx tx) {
    assertThat(map.get(tx, 1L)).as("the function has returned null").isNull();
    assertThat(map.size(tx)).isZero();
  }

  @Test
  void nullRemovesTheKeyThatTheFunctionHasPut() {
    for (KeyedCollection<Long, String> map : maps()) {
      store.run(
          tx -> {
            map.compute(
                tx,
                1L,
                (key, _) -> {
                  map.put(tx, key, "own");
                  return null;
                });
            requireAbsent(map, tx);
            map.put(tx, 1L, "former");
            BiFunction<Long, String, @Nullable String> removing =
                (key, _) -> {
                  map.remove(tx, key);
                  map.put(tx, key, "own");
                  return null;
                };
            assertThat(map.computeIfPresent(tx, 1L, removing)).isNull();
            requireAbsent(map, tx);
            assertThat(map.computeIfPresent(tx, 1L, removing)).as("not called").isNull();
            requireAbsent(map, tx);
            map.put(tx, 1L, "former");
            assertThat(map.merge(tx, 1L, "next", (one, two) -> one + two)).isEqualTo("formernext");
            assertThat(map.merge(tx, 1L, "next", (_, _) -> null)).isNull();
            requireAbsent(map, tx);
          });
    }
  }

  @Test
  void nullOfAnAbsentKeyWritesNothing() {
    for (KeyedCollection<Long, String> map : maps()) {
      boolean isNull = store.read(tx -> map.compute(tx, 1L, (_, _) -> null) == null);
      assertThat(isNull).isTrue();
      isNull = store.read(tx -> map.computeIfPresent(tx, 1L, (_, old) -> old + "!") == null);
      assertThat(isNull).isTrue();
    }
  }
}

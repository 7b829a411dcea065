package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys with many values, held to a plain Java model. */
final class MultimapTest {

  private static final List<String> KEYS = List.of("", "a", "a\0", "a\0b", "b", "😀");

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2));

  private final PersistentMultimap<String, Integer> map =
      store.multimap("tags", String.class, Integer.class);

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  @Test
  void itHasWhatAMapOfSetsHas() {
    for (int seed = 0; seed < 10; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Map<String, NavigableSet<Integer>> model = new TreeMap<>();
      store.run(map::clear);
      for (int n = 0; n < 200; n++) {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        int value = random.nextInt(40) - 20;
        NavigableSet<Integer> values = model.computeIfAbsent(key, _ -> new TreeSet<>());
        switch (random.nextInt(8)) {
          case 0 -> {
            long removed = store.call((Tx tx) -> map.removeAll(tx, key));
            assertThat(removed).isEqualTo(values.size());
            values.clear();
          }
          case 1, 2 -> {
            boolean removed = store.call((Tx tx) -> map.remove(tx, key, value));
            assertThat(removed).isEqualTo(values.remove(value));
          }
          default -> {
            boolean isNew = store.call((Tx tx) -> map.put(tx, key, value));
            assertThat(isNew).isEqualTo(values.add(value));
          }
        }
      }
      assertEqual(model);
    }
  }

  private void assertEqual(Map<String, NavigableSet<Integer>> model) {
    store.read(
        (Tx tx) -> {
          List<Map.Entry<String, Integer>> all = new ArrayList<>();
          model.forEach((key, values) -> values.forEach(value -> all.add(Map.entry(key, value))));
          assertThat(map.entries(tx)).containsExactlyElementsOf(all);
          assertThat(map.size(tx)).isEqualTo(all.size());
          for (String key : KEYS) {
            NavigableSet<Integer> values = model.getOrDefault(key, new TreeSet<>());
            assertThat(map.values(tx, key)).containsExactlyElementsOf(values);
            assertThat(map.containsKey(tx, key)).isEqualTo(!values.isEmpty());
            assertThat(map.contains(tx, key, 3)).isEqualTo(values.contains(3));
            assertThat(map.page(tx, key, 0, 4))
                .containsExactlyElementsOf(values.tailSet(0, false).stream().limit(4).toList());
          }
          return 0;
        });
  }

  @Test
  void itOpensAsAMultimapOnly() {
    assertThatThrownBy(() -> store.map("tags", Codec.utf8(), Codec.int32()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("multimap of utf8 to int32");
    assertThatThrownBy(() -> store.run(tx -> map.page(tx, "a", null, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tags");
  }
}

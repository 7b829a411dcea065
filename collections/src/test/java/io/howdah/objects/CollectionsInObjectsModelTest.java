package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.collections.Blocks;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.WordMemory;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random sequences of what changes the collections of objects, against heap collections. */
final class CollectionsInObjectsModelTest {

  @AutoClose private final WordMemory folder = new WordMemory();

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2);

  record Line(String article, int quantity) {}

  @Persistent
  interface Order {
    PersistentList<Line> lines();

    PersistentSortedMap<String, Long> totals();
  }

  /** What an object holds, in the model. */
  private record Held(List<Line> lines, TreeMap<String, Long> totals) {
    Held() {
      this(new ArrayList<>(), new TreeMap<>());
    }

    Held copy() {
      return new Held(new ArrayList<>(lines), new TreeMap<>(totals));
    }
  }

  private static Map<Long, Held> copy(Map<Long, Held> model) {
    Map<Long, Held> copy = new TreeMap<>();
    model.forEach((k, v) -> copy.put(k, v.copy()));
    return copy;
  }

  private Map<Long, Held> model = new TreeMap<>();

  private void step(Tx tx, PersistentType<Order> type, SplittableRandom random) {
    if (model.size() < 2 || random.nextInt(12) == 0) {
      model.put(type.address(type.create(tx)), new Held());
      return;
    }
    List<Long> all = new ArrayList<>(model.keySet());
    long at = all.get(random.nextInt(all.size()));
    Held held = Objects.requireNonNull(model.get(at));
    Order order = type.at(tx, at);
    String key = "key" + random.nextInt(30);
    int n = random.nextInt(1000);
    switch (random.nextInt(8)) {
      case 0 -> {
        type.free(tx, order);
        model.remove(at);
      }
      case 1, 2 -> {
        order.lines().add(tx, new Line(key, n));
        held.lines.add(new Line(key, n));
      }
      case 3 -> {
        Line removed = order.lines().removeLast(tx);
        assertThat(removed).isEqualTo(held.lines.isEmpty() ? null : held.lines.removeLast());
      }
      case 4 ->
          assertThat(order.totals().remove(tx, key)).isEqualTo(held.totals.remove(key) != null);
      default -> {
        order.totals().put(tx, key, (long) n);
        held.totals.put(key, (long) n);
      }
    }
  }

  private void transaction(WordStore store, PersistentType<Order> type, SplittableRandom random) {
    Map<Long, Held> before = copy(model);
    boolean aborts = random.nextInt(5) == 0;
    try {
      store.run(
          tx -> {
            for (int i = 0; i < 6; i++) {
              step(tx, type, random);
            }
            Map<Long, Held> then = copy(model);
            Savepoint savepoint = tx.savepoint();
            for (int i = 0; i < 6; i++) {
              step(tx, type, random);
            }
            if (random.nextInt(2) == 0) {
              tx.rollBack(savepoint);
              model = then;
            }
            step(tx, type, random);
            if (aborts) {
              throw new IllegalStateException("on purpose");
            }
          });
    } catch (IllegalStateException e) {
      assertThat(aborts).isTrue();
      model = before;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void objectsHoldWhatTheModelDoes(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int opening = 0; opening < 3; opening++) {
      try (WordStore reopened = WordStore.open(folder, SMALL)) {
        PersistentType<Order> type = reopened.type(Order.class, MethodHandles.lookup());
        for (int n = 0; n < 60; n++) {
          transaction(reopened, type, random);
        }
        reopened.run(
            tx ->
                model.forEach(
                    (at, held) -> {
                      Order order = type.at(tx, at);
                      assertThat(order.lines().asList(tx)).isEqualTo(held.lines);
                      assertThat(order.totals().asMap(tx)).isEqualTo(held.totals);
                    }));
        if (opening == 2) {
          for (long at : model.keySet()) {
            reopened.run(tx -> type.free(tx, type.at(tx, at)));
          }
        }
      }
    }
    try (WordStore reopened = WordStore.open(folder, SMALL)) {
      Blocks.assertNothingLeaks(reopened);
    }
  }
}

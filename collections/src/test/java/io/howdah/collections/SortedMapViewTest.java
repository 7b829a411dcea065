package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentNavigableMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sorted map behind the interfaces of {@code java.util} does what a {@link TreeMap} does. */
final class SortedMapViewTest {

  private static final int KEYS = 40;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));
  private final PersistentSortedMap<Long, String> map =
      store.sortedMap("map", Codec.int64(), Codec.utf8());

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  /** Does something with both; the results must be the same. */
  private interface Step {
    Object apply(NavigableMap<Long, String> map, long key, long other, String value);
  }

  private static boolean even(long number) {
    return number % 2 == 0;
  }

  /** What sorted maps add to maps. */
  @SuppressWarnings("DoNotCall") // that both refuse it is the point
  private static final List<Step> STEPS =
      List.of(
          (m, _, _, _) -> m.firstKey(),
          (m, _, _, _) -> m.lastKey(),
          (m, _, _, _) -> "" + m.firstEntry(),
          (m, _, _, _) -> "" + m.lastEntry(),
          (m, k, _, _) -> m.lowerEntry(k) + " " + m.lowerKey(k),
          (m, k, _, _) -> m.floorEntry(k) + " " + m.floorKey(k),
          (m, k, _, _) -> m.ceilingEntry(k) + " " + m.ceilingKey(k),
          (m, k, _, _) -> m.higherEntry(k) + " " + m.higherKey(k),
          (m, _, _, _) -> "" + m.pollFirstEntry(),
          (m, _, _, _) -> "" + m.pollLastEntry(),
          (m, k, _, _) -> "" + m.headMap(k) + m.headMap(k, even(k)),
          (m, k, _, _) -> "" + m.tailMap(k) + m.tailMap(k, even(k)),
          (m, k, o, _) -> "" + m.subMap(k, o) + m.subMap(k, even(k), o, even(o)),
          (m, _, _, _) -> "" + m.descendingMap() + m.reversed(),
          (m, _, _, _) -> "" + m.navigableKeySet() + m.descendingKeySet() + m.values(),
          (m, k, _, _) -> {
            var keys = m.navigableKeySet();
            return "" + keys.lower(k) + keys.floor(k) + keys.ceiling(k) + keys.higher(k);
          },
          (m, k, _, _) -> {
            var keys = m.navigableKeySet();
            return "" + keys.headSet(k) + keys.headSet(k, true) + keys.tailSet(k, false);
          },
          (m, k, o, _) -> "" + m.navigableKeySet().subSet(k, o) + m.keySet().contains(k),
          (m, _, _, _) -> m.navigableKeySet().first() + m.navigableKeySet().last(),
          (m, _, _, _) -> m.navigableKeySet().pollFirst() + " " + m.descendingKeySet().pollFirst(),
          (m, _, _, _) -> m.navigableKeySet().removeFirst() + m.descendingKeySet().getFirst(),
          (m, _, _, _) -> {
            List<Long> shown = new ArrayList<>();
            m.navigableKeySet().descendingIterator().forEachRemaining(shown::add);
            return shown;
          },
          (m, k, _, v) -> "" + m.putFirst(k, v),
          (m, k, _, v) -> "" + m.putLast(k, v),
          (m, k, _, v) -> m.navigableKeySet().add(k) + v,
          (m, _, _, _) -> "" + m.sequencedKeySet() + m.sequencedValues().reversed(),
          (m, _, _, _) -> "" + m.sequencedEntrySet().getLast(),
          (m, _, _, v) -> "" + m.firstEntry().setValue(v),
          (m, _, _, v) -> m.entrySet().iterator().next().setValue(v),
          (m, k, _, _) -> {
            m.replaceAll((key, old) -> key.equals(k) ? old + "r" : old);
            return m;
          },
          (m, k, _, _) -> m.entrySet().removeIf(entry -> entry.getKey() == k),
          (m, k, o, _) -> m.keySet().removeAll(List.of(k, o)),
          (m, k, o, _) -> {
            m.subMap(Math.min(k, o), Math.min(k, o) + 3).clear();
            return m.size();
          },
          (m, k, o, _) -> Integer.signum(comparison(m, k, o)),
          (m, _, _, _) -> new TreeMap<>((Map<Long, String>) m));

  private static int comparison(NavigableMap<Long, String> map, long one, long other) {
    return map.comparator() == null
        ? Long.compare(one, other)
        : map.comparator().compare(one, other);
  }

  private static Object outcome(Callable<Object> call) throws Exception {
    try {
      return "" + call.call();
    } catch (IllegalArgumentException
        | NoSuchElementException
        | UnsupportedOperationException
        | NullPointerException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** Returns a part of a map, or the map in the other direction. */
  private static NavigableMap<Long, String> part(
      NavigableMap<Long, String> map, int kind, long key, long other, boolean one, boolean two) {
    return switch (kind) {
      case 0 -> map.headMap(key, one);
      case 1 -> map.tailMap(key, one);
      case 2 -> map.subMap(key, one, other, two);
      case 3 -> map.descendingMap();
      default -> map;
    };
  }

  private static void compare(
      NavigableMap<Long, String> all,
      NavigableMap<Long, String> allOfModel,
      SplittableRandom random,
      int steps)
      throws Exception {
    NavigableMap<Long, String> view = all;
    NavigableMap<Long, String> model = allOfModel;
    for (int i = 0; i < steps; i++) {
      int kind = random.nextInt(30);
      long key = random.nextInt(KEYS);
      long other = random.nextInt(KEYS);
      boolean one = random.nextBoolean();
      boolean two = random.nextBoolean();
      if (kind > 26 || view.isEmpty()) {
        view = all;
        model = allOfModel;
      }
      NavigableMap<Long, String> formerView = view;
      NavigableMap<Long, String> formerModel = model;
      Object outcome = outcome(() -> part(formerModel, kind, key, other, one, two));
      assertThat(outcome(() -> part(formerView, kind, key, other, one, two)))
          .as("step %d, part %d", i, kind)
          .isEqualTo(outcome);
      if (outcome.toString().startsWith("{")) {
        view = part(view, kind, key, other, one, two);
        model = part(model, kind, key, other, one, two);
      }
      String value = "" + random.nextInt(3);
      step(view, model, i, random, key, other, value);
      for (int n = 0; n < 2; n++) {
        allOfModel.put(key + n, value);
        all.put(key + n, value);
      }
    }
  }

  private static void step(
      NavigableMap<Long, String> view,
      NavigableMap<Long, String> model,
      int i,
      SplittableRandom random,
      long key,
      long other,
      String value)
      throws Exception {
    int kind = random.nextInt(STEPS.size() + MapViewTest.STEPS.size());
    Step step =
        kind < STEPS.size()
            ? STEPS.get(kind)
            : (m, k, o, v) -> MapViewTest.STEPS.get(kind - STEPS.size()).apply(m, k, v, "" + o % 3);
    assertThat(outcome(() -> step.apply(view, key, other, value)))
        .as("step %d of kind %d", i, kind)
        .isEqualTo(outcome(() -> step.apply(model, key, other, value)));
    assertThat(view).hasSameSizeAs(model).hasToString(model.toString());
    assertThat(view.isEmpty()).isEqualTo(model.isEmpty());
    assertThat((Map<Long, String>) view).isEqualTo(model).hasSameHashCodeAs(model);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void withinATransactionItIsATreeMapThatIsUndone(long seed) {
    List<NavigableMap<Long, String>> leaked = new ArrayList<>();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      NavigableMap<Long, String> view = map.asMap(tx);
                      leaked.add(view);
                      leaked.add(view.headMap(3L, false).descendingMap());
                      compare(view, new TreeMap<>(), new SplittableRandom(seed), 1500);
                      throw tx.abort("undone");
                    }))
        .as("seed %d", seed)
        .isInstanceOf(TransactionAbortedException.class);
    assertThat(store.<Long, RuntimeException>read(map::size)).isZero();
    for (NavigableMap<Long, String> view : leaked) {
      assertThatThrownBy(() -> view.get(1L)).isInstanceOf(TransactionStateException.class);
      assertThatThrownBy(view::firstEntry).isInstanceOf(TransactionStateException.class);
    }
  }

  @Test
  void eachCallIsWhatItIsOfATreeMap() throws Exception {
    compare(map.asMap(), new TreeMap<>(), new SplittableRandom(4), 400);
    map.asMap().clear();
    assertThat(map.asMap()).isEmpty();
  }

  /**
   * An iterator shows what comes next in its direction when its turn comes, whatever the
   * transaction has changed meanwhile.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void iteratorsFollowTheChangesOfTheirTransaction(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    store.run(
        tx -> {
          TreeMap<Long, String> model = new TreeMap<>();
          map.clear(tx);
          for (int round = 0; round < 60; round++) {
            long from = random.nextInt(200);
            long to = from + random.nextInt(200);
            boolean one = random.nextBoolean();
            boolean two = random.nextBoolean();
            boolean ascending = random.nextBoolean();
            NavigableMap<Long, String> part = model.subMap(from, one, to, two);
            NavigableMap<Long, String> view = map.asMap(tx).subMap(from, one, to, two);
            walk(
                tx,
                ascending ? part : part.descendingMap(),
                ascending ? view : view.descendingMap(),
                model,
                random);
          }
        });
  }

  private void walk(
      Tx tx,
      NavigableMap<Long, String> part,
      NavigableMap<Long, String> view,
      NavigableMap<Long, String> model,
      SplittableRandom random) {
    Iterator<Map.Entry<Long, String>> all = view.entrySet().iterator();
    Map.Entry<Long, String> last = null;
    while (true) {
      for (int i = random.nextInt(12); i > 0; i--) {
        long key = random.nextInt(400);
        if (random.nextInt(3) == 0) {
          map.remove(tx, key);
          model.remove(key);
        } else {
          String value = "x".repeat(random.nextInt(20));
          map.put(tx, key, value);
          model.put(key, value);
        }
      }
      Map.Entry<Long, String> expected =
          last == null ? part.firstEntry() : part.higherEntry(last.getKey());
      if (expected == null) {
        assertThat(all.hasNext()).isFalse();
        return;
      }
      last = all.next();
      assertThat(last).isEqualTo(expected);
      if (random.nextInt(4) == 0) {
        all.remove();
        model.remove(last.getKey());
        assertThat(map.containsKey(tx, last.getKey())).isFalse();
      }
    }
  }

  @Test
  void anIteratorEndsWithItsTransaction() {
    List<Iterator<?>> leaked = new ArrayList<>();
    store.run(
        tx -> {
          NavigableMap<Long, String> view = map.asMap(tx);
          view.put(1L, "one");
          for (Collection<?> each :
              List.<Collection<?>>of(view.keySet(), view.values(), view.descendingKeySet())) {
            leaked.add(each.iterator());
            assertThat(leaked.getLast().hasNext()).isTrue();
          }
        });
    for (Iterator<?> each : leaked) {
      assertThatThrownBy(each::next).isInstanceOf(TransactionStateException.class);
    }
  }

  @Test
  void keysHaveTheOrderOfTheirBytes() {
    UUID low = new UUID(1, 0);
    UUID high = new UUID(-1, 0); // compareTo says it is the lower
    PersistentSortedMap<UUID, Integer> ids = store.sortedMap("ids", Codecs.uuid(), Codec.int32());
    ConcurrentNavigableMap<UUID, Integer> view = ids.asMap();
    view.putAll(Map.of(low, 1, high, 2));
    assertThat(view.keySet()).containsExactly(low, high);
    assertThat(view.headMap(high)).containsExactly(Map.entry(low, 1));
    TreeMap<UUID, Integer> copy = new TreeMap<>(view);
    assertThat(copy.descendingKeySet()).containsExactly(high, low);
    TreeMap<UUID, Integer> outlives =
        store.read(tx -> new TreeMap<>(ids.asMap(tx).descendingMap()));
    outlives.put(new UUID(2, 0), 3);
    assertThat(outlives.keySet()).containsExactly(high, new UUID(2, 0), low);
  }

  @Test
  @SuppressWarnings("NullAway") // that is the point
  void nullsAreRefused() {
    ConcurrentNavigableMap<Long, String> view = map.asMap();
    List<Callable<Object>> calls =
        List.of(
            () -> view.put(null, "v"),
            () -> view.put(1L, null),
            () -> view.get(null),
            () -> view.floorKey(null),
            () -> view.headMap(null),
            () -> view.tailMap(null),
            () -> view.subMap(null, 1L),
            () -> view.subMap(1L, null),
            () -> view.keySet().remove(null));
    for (Callable<Object> call : calls) {
      assertThatThrownBy(call::call).isInstanceOf(NullPointerException.class);
    }
    assertThat(view).isEmpty();
    assertThat(view.entrySet()).doesNotContain(Map.entry(1L, "v"));
    assertThat(Set.copyOf(view.keySet())).isEmpty();
  }
}

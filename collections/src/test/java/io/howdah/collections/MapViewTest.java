package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.TransactionAbortedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A persistent map behind the interfaces of {@code java.util} does what one of theirs does. */
final class MapViewTest {

  private static final int KEYS = 40;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));
  private final PersistentMap<Long, String> map = store.map("map", Codec.int64(), Codec.utf8());

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  /** Does something with both; the results must be the same. */
  interface Step {
    Object apply(Map<Long, String> map, long key, String value, String other);
  }

  static final List<Step> STEPS =
      List.of(
          (m, k, v, _) -> "" + m.put(k, v),
          (m, k, _, _) -> "" + m.get(k),
          (m, k, _, _) -> "" + m.remove(k),
          (m, k, v, _) -> m.remove(k, v),
          (m, k, v, _) -> "" + m.putIfAbsent(k, v),
          (m, k, v, _) -> "" + m.replace(k, v),
          (m, k, v, o) -> m.replace(k, o, v),
          (m, k, _, _) -> m.containsKey(k),
          (m, _, v, _) -> m.containsValue(v),
          (m, k, v, _) -> "" + m.merge(k, v, (a, b) -> a.length() > 3 ? null : a + b),
          (m, k, v, _) -> "" + m.compute(k, (_, old) -> old == null ? v : null),
          (m, k, v, _) -> "" + m.computeIfAbsent(k, _ -> v),
          (m, k, v, _) -> "" + m.computeIfPresent(k, (_, old) -> old + v),
          (m, k, v, _) -> m.getOrDefault(k, v),
          (m, k, _, _) -> m.keySet().contains(k),
          (m, k, _, _) -> m.keySet().remove(k),
          (m, _, v, _) -> m.values().removeIf(v::equals),
          (m, k, v, _) -> m.entrySet().contains(Map.entry(k, v)),
          (m, k, v, _) -> m.entrySet().remove(Map.entry(k, v)),
          (m, k, v, _) -> {
            m.putAll(Map.of(k, v, k + 1, v));
            return m.size();
          },
          (m, _, _, _) -> m.isEmpty());

  private static void compare(Map<Long, String> view, SplittableRandom random, int steps) {
    Map<Long, String> model = new HashMap<>(view);
    for (int i = 0; i < steps; i++) {
      Step step = STEPS.get(random.nextInt(STEPS.size()));
      long key = random.nextInt(KEYS);
      String value = "" + random.nextInt(3);
      String other = "" + random.nextInt(3);
      assertThat(step.apply(view, key, value, other))
          .as("step %d of kind %d", i, STEPS.indexOf(step))
          .isEqualTo(step.apply(model, key, value, other));
      assertThat(view.size()).isEqualTo(model.size());
    }
    assertThat(view).isEqualTo(model).hasSameHashCodeAs(model);
    assertThat(view.keySet()).isEqualTo(model.keySet());
    assertThat(view.values()).containsExactlyInAnyOrderElementsOf(model.values());
  }

  @Test
  void eachCallIsWhatItIsOfAHashMap() {
    compare(map.asMap(), new SplittableRandom(1), 3000);
    map.asMap().clear();
    assertThat(map.asMap()).isEmpty();
    assertThat(store.<Long, RuntimeException>read(map::size)).isZero();
  }

  /** Calls that compare a value, with one that is there, an equal one and another one. */
  private static void compareArrays(ConcurrentMap<Long, byte[]> view) {
    byte[] other = {1, 3};
    view.put(1L, new byte[] {1, 2});
    assertThat(view.entrySet().contains(Map.entry(1L, new byte[] {1, 2}))).isTrue();
    assertThat(view.entrySet().contains(Map.entry(1L, other))).isFalse();
    assertThat(view.entrySet().contains(Map.entry(2L, new byte[] {1, 2}))).isFalse();
    assertThat(view.replace(1L, other, new byte[] {4})).isFalse();
    assertThat(view.replace(1L, new byte[] {1, 2}, new byte[] {4})).isTrue();
    assertThat(view.remove(1L, other)).isFalse();
    assertThat(view.remove(1L, new byte[] {4})).isTrue();
    view.put(1L, new byte[] {5});
    assertThat(view.entrySet().remove(Map.entry(1L, other))).isFalse();
    assertThat(view.entrySet().remove(Map.entry(1L, new byte[] {5}))).isTrue();
    assertThat(view).isEmpty();
  }

  @Test
  void arraysAreComparedByTheirElements() {
    PersistentMap<Long, byte[]> arrays = store.map("arrays", Codec.int64(), Codec.bytes());
    compareArrays(arrays.asMap());
    store.run(tx -> compareArrays(arrays.asMap(tx)));
    PersistentSortedMap<Long, byte[]> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.bytes());
    compareArrays(sorted.asMap());
    store.run(tx -> compareArrays(sorted.asMap(tx)));
  }

  @Test
  void withinATransactionCallsAreUndoneWithItAndEndWithIt() {
    ConcurrentMap<Long, String> outer = map.asMap();
    outer.put(1L, "kept");
    List<ConcurrentMap<Long, String>> leaked = new ArrayList<>();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      ConcurrentMap<Long, String> view = map.asMap(tx);
                      leaked.add(view);
                      compare(view, new SplittableRandom(2), 500);
                      throw tx.abort("undone");
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    assertThat(outer).containsExactly(Map.entry(1L, "kept"));
    assertThatThrownBy(() -> leaked.getFirst().get(1L))
        .isInstanceOf(TransactionStateException.class);
  }

  @Test
  void anIteratorRemovesWhatItHasShown() {
    ConcurrentMap<Long, String> view = map.asMap();
    for (long i = 0; i < KEYS; i++) {
      view.put(i, i % 2 == 0 ? "even" : "odd");
    }
    Iterator<Map.Entry<Long, String>> entries = view.entrySet().iterator();
    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
    while (entries.hasNext()) {
      if (entries.next().getValue().equals("odd")) {
        entries.remove();
      }
    }
    assertThat(view).hasSize(KEYS / 2).doesNotContainValue("odd");
    view.keySet().removeIf(key -> key < 10);
    assertThat(view.keySet()).hasSize(KEYS / 2 - 5).allMatch(key -> key >= 10);
  }

  @Test
  @SuppressWarnings("NullAway") // that is the point
  void nullsAreRefused() {
    ConcurrentMap<Long, String> view = map.asMap();
    List<Callable<Object>> calls =
        List.of(
            () -> view.put(null, "v"),
            () -> view.put(1L, null),
            () -> view.get(null),
            () -> view.remove(null),
            () -> view.containsKey(null),
            () -> view.putIfAbsent(1L, null),
            () -> view.replace(1L, null, "v"),
            () -> view.replace(1L, null));
    for (Callable<Object> call : calls) {
      assertThatThrownBy(call::call).isInstanceOf(NullPointerException.class);
    }
    assertThat(view).isEmpty();
  }

  @Test
  void whatManyThreadsAddArrives() throws Exception {
    PersistentMap<Long, Long> counts = store.map("counts", Codec.int64(), Codec.int64());
    ConcurrentMap<Long, Long> view = counts.asMap();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (long i = 0; i < 2000; i++) {
                      view.merge(i % 3, 1L, Long::sum);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(view.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(8000);
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.txn.Tx;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Collections of keys, values and elements of every kind of length: none at all, parts of a word,
 * words, and a different one each time. What differs, differs at each place once.
 */
@Timeout(120)
final class OddLengthsTest {

  private static final int[] LENGTHS = {Codec.VARIABLE, 0, 1, 3, 4, 7, 8, 9, 12, 15, 16, 17, 24};
  private static final int LONGEST = 20;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(1));

  @AfterEach
  void close() {
    store.close();
  }

  /** Texts of one length in characters of a byte each, or of any. */
  record Text(int fixedLength) implements OrderedCodec<String> {

    @Override
    public String name() {
      return "text of " + fixedLength;
    }

    @Override
    public void encode(String value, Encoder out) {
      out.putBytes(value.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public String decode(Decoder in) {
      return new String(in.getBytes(in.remaining()), StandardCharsets.ISO_8859_1);
    }

    /** Returns all that the tests use: each character differs from the others' once. */
    List<String> values() {
      if (fixedLength >= 0) {
        return values(fixedLength);
      }
      return IntStream.rangeClosed(0, LONGEST)
          .boxed()
          .flatMap(length -> values(length).stream().limit(2))
          .toList();
    }

    private static List<String> values(int length) {
      List<String> values = new ArrayList<>(List.of("m".repeat(length)));
      for (int at = length - 1; at >= 0; at--) {
        String other = at % 2 == 0 ? "n" : "ÿ";
        values.add("m".repeat(at) + other + "m".repeat(length - at - 1));
      }
      return values;
    }
  }

  static Stream<Arguments> pairs() {
    return IntStream.of(LENGTHS)
        .boxed()
        .flatMap(
            keys ->
                IntStream.of(Codec.VARIABLE, 0, 1, 7, 8, 12, 16)
                    .mapToObj(values -> Arguments.of(new Text(keys), new Text(values))));
  }

  static Stream<Text> texts() {
    return IntStream.of(LENGTHS).mapToObj(Text::new);
  }

  /** What a transaction returns. */
  private interface Found {
    @Nullable Object in(Tx tx);
  }

  private void expect(Found found, @Nullable Object expected) {
    store.run(tx -> assertThat(found.in(tx)).isEqualTo(expected));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aMapHasWhatWasPut(Text keys, Text values) {
    PersistentMap<String, String> map = store.map("map", keys, values);
    behavesAsAMap(
        map,
        tx -> map.entries(tx).sorted(Map.Entry.comparingByKey()).toList(),
        keys.values(),
        values.values());
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aSortedMapHasWhatWasPutInOrder(Text keys, Text values) {
    PersistentSortedMap<String, String> map = store.sortedMap("map", keys, values);
    behavesAsAMap(
        map,
        tx -> {
          List<Map.Entry<String, String>> entries = map.entries(tx).toList();
          assertThat(map.range(tx, Range.reversed(Range.all())).toList())
              .isEqualTo(entries.reversed());
          return entries;
        },
        keys.values(),
        values.values());
  }

  /** Shows all entries, the lowest key first. */
  private interface Entries {
    List<Map.Entry<String, String>> in(Tx tx);
  }

  private void behavesAsAMap(
      KeyedCollection<String, String> map,
      Entries entries,
      List<String> keys,
      List<String> values) {
    TreeMap<String, String> model = new TreeMap<>();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < keys.size(); i++) {
        String key = keys.get(i);
        String value = values.get((i * 5 + round) % values.size());
        store.run(tx -> map.put(tx, key, value));
        model.put(key, value);
      }
      compare(map, entries, model, keys);
    }
    store.run(
        tx -> {
          for (int i = 0; i < keys.size(); i += 2) {
            assertThat(map.remove(tx, keys.get(i))).isTrue();
            assertThat(map.remove(tx, keys.get(i))).isFalse();
            assertThat(map.get(tx, keys.get(i))).isNull();
            map.put(tx, keys.get(i), values.getFirst());
            map.put(tx, keys.get(i), values.getLast());
            assertThat(map.get(tx, keys.get(i))).isEqualTo(values.getLast());
            model.put(keys.get(i), values.getLast());
          }
        });
    compare(map, entries, model, keys);
    for (int i = 0; i < keys.size(); i += 3) {
      String key = keys.get(i);
      store.run(tx -> assertThat(map.remove(tx, key)).isTrue());
      model.remove(key);
    }
    compare(map, entries, model, keys);
    store.run(tx -> keys.forEach(key -> map.put(tx, key, values.getFirst())));
    keys.forEach(key -> model.put(key, values.getFirst()));
    compare(map, entries, model, keys);
    store.run(map::clear);
    compare(map, entries, new TreeMap<>(), keys);
    assertThat(store.drop("map")).isTrue();
    Blocks.assertNothingLeaks(store);
  }

  private void compare(
      KeyedCollection<String, String> map,
      Entries entries,
      SortedMap<String, String> model,
      Collection<String> keys) {
    store.read(
        tx -> {
          assertThat(map.size(tx)).isEqualTo(model.size());
          assertThat(entries.in(tx)).isEqualTo(List.copyOf(model.entrySet()));
          for (String key : keys) {
            assertThat(map.get(tx, key)).isEqualTo(model.get(key));
            assertThat(map.containsKey(tx, key)).isEqualTo(model.containsKey(key));
          }
          return 0;
        });
  }

  @ParameterizedTest
  @MethodSource("texts")
  void aSetHasWhatWasAdded(Text elements) {
    PersistentSet<String> set = store.set("set", elements);
    Set<String> model = new HashSet<>();
    for (String element : elements.values()) {
      store.run(
          tx -> {
            assertThat(set.contains(tx, element)).isFalse();
            assertThat(set.add(tx, element)).isTrue();
            assertThat(set.add(tx, element)).isFalse();
          });
      model.add(element);
      expect(tx -> set.stream(tx).collect(Collectors.toSet()), model);
    }
    for (String element : elements.values()) {
      store.run(tx -> assertThat(set.remove(tx, element)).isTrue());
      model.remove(element);
      expect(tx -> set.stream(tx).collect(Collectors.toSet()), model);
      expect(tx -> set.size(tx), (long) model.size());
    }
    assertThat(store.drop("set")).isTrue();
    Blocks.assertNothingLeaks(store);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aMultimapHasThePairsThatWerePut(Text keys, Text values) {
    PersistentMultimap<String, String> map = store.multimap("map", keys, values);
    List<String> all = values.values();
    for (String key : keys.values()) {
      store.run(
          tx -> {
            for (String value : all) {
              assertThat(map.put(tx, key, value)).isTrue();
              assertThat(map.put(tx, key, value)).isFalse();
            }
          });
    }
    List<String> sorted = all.stream().sorted().toList();
    store.read(
        tx -> {
          assertThat(map.size(tx)).isEqualTo((long) keys.values().size() * all.size());
          for (String key : keys.values()) {
            assertThat(map.values(tx, key).toList()).isEqualTo(sorted);
            assertThat(map.contains(tx, key, all.getLast())).isTrue();
          }
          return 0;
        });
    for (String key : keys.values()) {
      store.run(
          tx -> {
            assertThat(map.remove(tx, key, all.getFirst())).isTrue();
            assertThat(map.contains(tx, key, all.getFirst())).isFalse();
            assertThat(map.removeAll(tx, key)).isEqualTo(all.size() - 1);
            assertThat(map.containsKey(tx, key)).isFalse();
          });
    }
    expect(map::isEmpty, true);
    assertThat(store.drop("map")).isTrue();
    Blocks.assertNothingLeaks(store);
  }

  @ParameterizedTest
  @MethodSource("texts")
  void aListHasItsElementsInOrder(Text elements) {
    PersistentList<String> list = store.list("list", elements);
    List<String> model = new ArrayList<>();
    for (String element : elements.values()) {
      store.run(
          tx -> {
            list.add(tx, element);
            list.add(tx, model.size() / 2, element);
          });
      int middle = model.size() / 2;
      model.add(element);
      model.add(middle, element);
      expect(tx -> list.stream(tx).toList(), model);
    }
    for (int i = 0; i < model.size(); i++) {
      int index = i;
      String other = elements.values().get(i * 7 % elements.values().size());
      store.run(tx -> list.set(tx, index, other));
      model.set(i, other);
    }
    expect(tx -> list.stream(tx).toList(), model);
    while (!model.isEmpty()) {
      int index = model.size() / 3;
      String last = model.removeLast();
      expect(tx -> list.removeLast(tx), last);
      if (!model.isEmpty()) {
        expect(tx -> list.remove(tx, index), model.remove(index));
      }
      expect(tx -> list.stream(tx).toList(), model);
    }
    assertThat(store.drop("list")).isTrue();
    Blocks.assertNothingLeaks(store);
  }

  @ParameterizedTest
  @MethodSource("texts")
  void aQueueGivesItsElementsBackInOrder(Text elements) {
    PersistentQueue<String> queue = store.queue("queue", elements);
    Queue<String> model = new ArrayDeque<>();
    List<String> all = elements.values();
    for (int i = 0; i < 100; i++) {
      String element = all.get(i % all.size());
      store.run(tx -> queue.add(tx, element));
      model.add(element);
      if (i % 3 == 0) {
        expect(tx -> queue.peek(tx), model.peek());
        expect(tx -> queue.poll(tx), model.poll());
      }
      expect(tx -> queue.stream(tx).toList(), List.copyOf(model));
    }
    expect(tx -> queue.poll(tx, 50), model.stream().limit(50).toList());
    expect(tx -> queue.size(tx), model.size() - 50L);
    assertThat(store.drop("queue")).isTrue();
    Blocks.assertNothingLeaks(store);
  }
}

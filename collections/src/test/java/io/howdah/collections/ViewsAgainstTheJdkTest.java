package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Views of maps and lists beside those of the JDK, exhaustively over few keys: every part with
 * every kind of bounds, parts of parts, every call with every key, every removal through an
 * iterator, and every change beside an iterator. Few keys suffice, since what a bound decides is
 * whether it lies before, at or behind a key.
 */
final class ViewsAgainstTheJdkTest {

  private static final int[] PRESENT = {1, 2, 4};

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  /**
   * Five keys, ascending, of which three are in the map.
   *
   * @param stride how many pairs of parts one is tested of
   */
  record Keys<K>(String name, OrderedCodec<K> codec, int stride, List<K> all) {
    @Override
    public String toString() {
      return name;
    }

    Map<K, String> present() {
      Map<K, String> present = new HashMap<>();
      for (int each : PRESENT) {
        present.put(all.get(each), "v" + each);
      }
      return present;
    }
  }

  static Stream<Keys<?>> keys() {
    return Stream.of(
        new Keys<>("near zero", Codec.int64(), 1, List.of(-2L, -1L, 0L, 1L, 2L)),
        new Keys<>(
            "at the ends",
            Codec.int64(),
            11,
            List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, 0L, Long.MAX_VALUE - 1, Long.MAX_VALUE)),
        new Keys<>("beginnings", Codec.utf8(), 7, List.of("", "a", "a\0", "a\0b", "ab")),
        new Keys<>(
            "longer than a node",
            Codec.utf8(),
            13,
            Stream.of("a", "b", "c", "d", "e").map(each -> each.repeat(1200)).toList()));
  }

  /** Something that is done with both. */
  private record Step<T>(String name, Function<T, Object> call) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static <T> String outcome(Step<T> step, T subject) {
    try {
      return "" + step.call.apply(subject);
    } catch (IllegalArgumentException
        | IllegalStateException
        | IndexOutOfBoundsException
        | NoSuchElementException
        | UnsupportedOperationException
        | NullPointerException e) {
      return e instanceof IndexOutOfBoundsException ? "index" : e.getClass().getSimpleName();
    }
  }

  // ---- Parts of sorted maps.

  private record Part<K>(
      String name, Function<NavigableMap<K, String>, NavigableMap<K, String>> of) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static <K> List<Part<K>> parts(List<K> all) {
    List<Part<K>> parts = new ArrayList<>();
    parts.add(new Part<>("descending", NavigableMap::descendingMap));
    for (int i = 0; i < all.size(); i++) {
      K key = all.get(i);
      for (boolean inclusive : new boolean[] {false, true}) {
        parts.add(new Part<>("head " + i + inclusive, map -> map.headMap(key, inclusive)));
        parts.add(new Part<>("tail " + i + inclusive, map -> map.tailMap(key, inclusive)));
        for (int j = 0; j < all.size(); j++) {
          K other = all.get(j);
          for (boolean otherInclusive : new boolean[] {false, true}) {
            parts.add(
                new Part<>(
                    "sub " + i + inclusive + " " + j + otherInclusive,
                    map -> map.subMap(key, inclusive, other, otherInclusive)));
          }
        }
      }
    }
    return parts;
  }

  /** Everything that can be asked, with every key. */
  private static <K> String described(NavigableMap<K, String> map, List<K> all) {
    StringBuilder text = new StringBuilder();
    text.append(map).append(map.size()).append(map.isEmpty());
    text.append(map.firstEntry()).append(map.lastEntry());
    text.append(outcome(new Step<>("first", NavigableMap::firstKey), map));
    text.append(outcome(new Step<>("last", NavigableMap::lastKey), map));
    text.append(map.descendingMap()).append(map.values()).append(map.hashCode());
    NavigableSet<K> keys = map.navigableKeySet();
    text.append(keys).append(map.descendingKeySet()).append(keys.descendingSet());
    keys.descendingIterator().forEachRemaining(text::append);
    keys.spliterator().forEachRemaining(text::append);
    map.entrySet().spliterator().forEachRemaining(text::append);
    for (K key : all) {
      text.append(map.get(key)).append(map.containsKey(key)).append(keys.contains(key));
      text.append(map.lowerKey(key)).append(map.floorEntry(key));
      text.append(map.ceilingKey(key)).append(map.higherEntry(key));
      text.append(map.lowerEntry(key)).append(map.higherKey(key));
      text.append(keys.floor(key)).append(keys.ceiling(key));
      text.append(keys.lower(key)).append(keys.higher(key));
    }
    return text.toString();
  }

  private <K> void fill(NavigableMap<K, String> map, Keys<K> keys) {
    map.clear();
    map.putAll(keys.present());
  }

  @ParameterizedTest
  @MethodSource("keys")
  <K> void everyPartOfAPartAnswersAsATreeMaps(Keys<K> keys) {
    PersistentSortedMap<K, String> sorted = store.sortedMap("map", keys.codec(), Codec.utf8());
    NavigableMap<K, String> model = new TreeMap<>(keys.present());
    List<Part<K>> parts = parts(keys.all());
    store.run(
        tx -> {
          NavigableMap<K, String> whole = sorted.asMap(tx);
          fill(whole, keys);
          assertThat(described(whole, keys.all())).isEqualTo(described(model, keys.all()));
          int count = 0;
          for (Part<K> outer : parts) {
            Step<NavigableMap<K, String>> first = new Step<>("" + outer, outer.of()::apply);
            assertThat(outcome(first, whole)).as("%s", outer).isEqualTo(outcome(first, model));
            if (!outcome(first, model).startsWith("{")) {
              continue;
            }
            NavigableMap<K, String> view = outer.of().apply(whole);
            NavigableMap<K, String> expected = outer.of().apply(model);
            assertThat(described(view, keys.all()))
                .as("%s", outer)
                .isEqualTo(described(expected, keys.all()));
            for (Part<K> inner : parts) {
              if (count++ % keys.stride() != 0) {
                continue;
              }
              Step<NavigableMap<K, String>> second =
                  new Step<>(outer + ", " + inner, inner.of()::apply);
              String outcome = outcome(second, expected);
              assertThat(outcome(second, view)).as("%s", second).isEqualTo(outcome);
              if (outcome.startsWith("{")) {
                assertThat(described(inner.of().apply(view), keys.all()))
                    .as("%s", second)
                    .isEqualTo(described(inner.of().apply(expected), keys.all()));
              }
            }
          }
        });
  }

  // ---- Changes.

  private static <E> Object shown(Iterator<E> all, int steps, int removals) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < steps; i++) {
      text.append(all.next());
    }
    for (int i = 0; i < removals; i++) {
      all.remove();
    }
    all.forEachRemaining(text::append);
    return text;
  }

  /** What every map can be asked to change. */
  private static <K> List<Step<Map<K, String>>> changes(List<K> all) {
    List<Step<Map<K, String>>> steps = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      K key = all.get(i);
      String own = "v" + i;
      steps.add(new Step<>("put " + i, map -> map.put(key, "n")));
      steps.add(new Step<>("putIfAbsent " + i, map -> map.putIfAbsent(key, "n")));
      steps.add(new Step<>("remove " + i, map -> map.remove(key)));
      steps.add(new Step<>("remove own " + i, map -> map.remove(key, own)));
      steps.add(new Step<>("remove other " + i, map -> map.remove(key, "other")));
      steps.add(new Step<>("replace " + i, map -> map.replace(key, "n")));
      steps.add(new Step<>("replace own " + i, map -> map.replace(key, own, "n")));
      steps.add(new Step<>("replace other " + i, map -> map.replace(key, "other", "n")));
      steps.add(new Step<>("compute " + i, map -> map.compute(key, (_, old) -> old + "n")));
      steps.add(new Step<>("compute null " + i, map -> map.compute(key, (_, _) -> null)));
      steps.add(new Step<>("computeIfAbsent " + i, map -> map.computeIfAbsent(key, _ -> "n")));
      steps.add(new Step<>("merge " + i, map -> map.merge(key, "n", String::concat)));
      steps.add(new Step<>("merge null " + i, map -> map.merge(key, "n", (_, _) -> null)));
      steps.add(
          new Step<>(
              "putAll " + i,
              map -> {
                map.putAll(Map.of(key, "n"));
                return "";
              }));
      steps.add(new Step<>("keys remove " + i, map -> map.keySet().remove(key)));
      steps.add(new Step<>("keys removeAll " + i, map -> map.keySet().removeAll(List.of(key))));
      steps.add(new Step<>("keys retainAll " + i, map -> map.keySet().retainAll(Set.of(key))));
      steps.add(
          new Step<>("keys removeAll others " + i, map -> map.keySet().removeAll(but(all, key))));
      steps.add(
          new Step<>("keys retainAll others " + i, map -> map.keySet().retainAll(but(all, key))));
      steps.add(new Step<>("keys removeIf " + i, map -> map.keySet().removeIf(key::equals)));
      steps.add(new Step<>("values remove " + i, map -> map.values().remove(own)));
      steps.add(new Step<>("values removeAll " + i, map -> map.values().removeAll(List.of(own))));
      steps.add(new Step<>("values retainAll " + i, map -> map.values().retainAll(List.of(own))));
      Map.Entry<K, String> entry = Map.entry(key, own);
      steps.add(new Step<>("entries contain " + i, map -> map.entrySet().contains(entry)));
      steps.add(new Step<>("entries remove " + i, map -> map.entrySet().remove(entry)));
      steps.add(
          new Step<>(
              "entries remove other " + i, map -> map.entrySet().remove(Map.entry(key, "other"))));
      steps.add(
          new Step<>("entries removeAll " + i, map -> map.entrySet().removeAll(Set.of(entry))));
      steps.add(
          new Step<>("entries retainAll " + i, map -> map.entrySet().retainAll(Set.of(entry))));
      steps.add(
          new Step<>(
              "entries retainAll other " + i,
              map -> map.entrySet().retainAll(Set.of(Map.entry(key, "other")))));
      steps.add(new Step<>("containsAll " + i, map -> map.keySet().containsAll(all.subList(0, 1))));
    }
    steps.add(new Step<>("keys add", map -> map.keySet().add(all.getFirst())));
    steps.add(new Step<>("values add", map -> map.values().add("n")));
    steps.add(
        new Step<>(
            "replaceAll",
            map -> {
              map.replaceAll((_, old) -> old + "r");
              return "";
            }));
    steps.add(
        new Step<>(
            "setValue",
            map -> {
              map.entrySet().forEach(each -> each.setValue(each.getValue() + "s"));
              return "";
            }));
    List<Function<Map<K, String>, Collection<?>>> collections =
        List.of(Map::keySet, Map::values, Map::entrySet);
    for (int kind = 0; kind < collections.size(); kind++) {
      Function<Map<K, String>, Collection<?>> collection = collections.get(kind);
      steps.add(
          new Step<>(
              "clear " + kind,
              map -> {
                collection.apply(map).clear();
                return "";
              }));
      for (int shown = 0; shown <= PRESENT.length + 1; shown++) {
        for (int removals = 0; removals <= 2; removals++) {
          int steps1 = shown;
          int removals1 = removals;
          steps.add(
              new Step<>(
                  "iterator of " + kind + " removes " + removals + " times behind " + shown,
                  map -> {
                    Object text = shown(collection.apply(map).iterator(), steps1, removals1);
                    return map instanceof NavigableMap ? text : ""; // hash maps differ in order
                  }));
        }
      }
    }
    return steps;
  }

  private static <K> List<K> but(List<K> all, K key) {
    return all.stream().filter(each -> !each.equals(key)).toList();
  }

  /** What sorted maps can be asked to change beside. */
  private static <K> List<Step<NavigableMap<K, String>>> sortedChanges(List<K> all) {
    List<Step<NavigableMap<K, String>>> steps = new ArrayList<>();
    for (Step<Map<K, String>> each : changes(all)) {
      steps.add(new Step<>(each.name(), each.call()::apply));
    }
    steps.add(new Step<>("pollFirst", NavigableMap::pollFirstEntry));
    steps.add(new Step<>("pollLast", NavigableMap::pollLastEntry));
    steps.add(new Step<>("keys pollFirst", map -> map.navigableKeySet().pollFirst()));
    steps.add(new Step<>("keys pollLast", map -> map.navigableKeySet().pollLast()));
    steps.add(new Step<>("descending pollFirst", map -> map.descendingKeySet().pollFirst()));
    steps.add(new Step<>("firstEntry set", map -> map.firstEntry().setValue("n")));
    for (int shown = 0; shown <= PRESENT.length; shown++) {
      int steps1 = shown;
      steps.add(
          new Step<>(
              "descendingIterator removes behind " + shown,
              map -> shown(map.navigableKeySet().descendingIterator(), steps1, 1)));
    }
    for (int i = 0; i < all.size(); i++) {
      K key = all.get(i);
      steps.add(
          new Step<>(
              "clear head " + i,
              map -> {
                map.headMap(key, false).clear();
                return "";
              }));
      steps.add(
          new Step<>(
              "clear tail " + i,
              map -> {
                map.navigableKeySet().tailSet(key, true).clear();
                return "";
              }));
      steps.add(new Step<>("putFirst " + i, map -> putFirst(map, key)));
      steps.add(new Step<>("keys add " + i, map -> map.navigableKeySet().add(key)));
    }
    return steps;
  }

  @ParameterizedTest
  @MethodSource("keys")
  <K> void everyChangeOfAPartIsOneOfATreeMaps(Keys<K> keys) {
    PersistentSortedMap<K, String> sorted = store.sortedMap("map", keys.codec(), Codec.utf8());
    NavigableMap<K, String> model = new TreeMap<>();
    List<Step<NavigableMap<K, String>>> changes = sortedChanges(keys.all());
    store.run(
        tx -> {
          NavigableMap<K, String> whole = sorted.asMap(tx);
          int count = 0;
          for (Part<K> part : parts(keys.all())) {
            fill(model, keys);
            fill(whole, keys);
            if (!outcome(new Step<>("", part.of()::apply), model).startsWith("{")) {
              continue;
            }
            for (Step<NavigableMap<K, String>> change : changes) {
              if (count++ % Math.min(3, keys.stride()) != 0) {
                continue;
              }
              fill(model, keys);
              fill(whole, keys);
              boolean turned = count % 2 == 0;
              NavigableMap<K, String> view = turned(part.of().apply(whole), turned);
              NavigableMap<K, String> expected = turned(part.of().apply(model), turned);
              assertThat(outcome(change, view))
                  .as("%s of %s, turned: %s", change, part, turned)
                  .isEqualTo(outcome(change, expected));
              assertThat(whole.toString())
                  .as("after %s of %s, turned: %s", change, part, turned)
                  .isEqualTo(model.toString());
              assertThat(sorted.size(tx)).isEqualTo(model.size());
            }
          }
        });
  }

  private static <K> NavigableMap<K, String> turned(NavigableMap<K, String> map, boolean turned) {
    return turned ? map.descendingMap() : map;
  }

  /** The same where each call is a transaction; iterators show a copy. */
  @Test
  void everyChangeOfAMapIsOneOfTheJdks() {
    Keys<Long> keys = new Keys<>("", Codec.int64(), 1, List.of(-2L, -1L, 0L, 1L, 2L));
    Map<Long, String> hashed = store.map("hashed", Codec.int64(), Codec.utf8()).asMap();
    NavigableMap<Long, String> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.utf8()).asMap();
    NavigableMap<Long, String> model = new TreeMap<>();
    for (Step<NavigableMap<Long, String>> change : sortedChanges(keys.all())) {
      fill(model, keys);
      fill(sorted, keys);
      assertThat(outcome(change, sorted)).as("%s", change).isEqualTo(outcome(change, model));
      assertThat(sorted).as("after %s", change).isEqualTo(model).hasToString(model.toString());
    }
    Map<Long, String> unsorted = new HashMap<>();
    for (Step<Map<Long, String>> change : changes(keys.all())) {
      boolean isOfOneElement = change.name().matches(".*removes [12] times behind [123]");
      for (Map<Long, String> each : List.of(unsorted, hashed)) {
        each.clear();
        each.putAll(keys.present());
      }
      assertThat(outcome(change, hashed)).as("%s", change).isEqualTo(outcome(change, unsorted));
      if (isOfOneElement) { // which one depends on the order
        assertThat(hashed).hasSameSizeAs(unsorted);
      } else {
        assertThat(hashed).as("after %s", change).isEqualTo(unsorted);
      }
      assertThat(hashed.keySet()).hasSize(hashed.size());
      assertThat(hashed.entrySet()).isEqualTo(new HashMap<>(hashed).entrySet());
      assertThat(hashed.hashCode()).isEqualTo(new HashMap<>(hashed).hashCode());
    }
  }

  /** After any steps and any change of any key, the next element is the next one that is there. */
  @ParameterizedTest
  @MethodSource("keys")
  <K> void anIteratorOfEveryPartFollowsEveryChangeBesideIt(Keys<K> keys) {
    PersistentSortedMap<K, String> sorted = store.sortedMap("map", keys.codec(), Codec.utf8());
    NavigableMap<K, String> model = new TreeMap<>();
    store.run(
        tx -> {
          NavigableMap<K, String> whole = sorted.asMap(tx);
          for (Part<K> part : parts(keys.all())) {
            fill(model, keys);
            if (!outcome(new Step<>("", part.of()::apply), model).startsWith("{")) {
              continue;
            }
            for (int change = 0; change < 4 * keys.all().size(); change++) {
              K key = keys.all().get(change / 4);
              boolean puts = change % 2 == 0;
              boolean turned = change % 4 > 1;
              for (int steps = 0; steps <= PRESENT.length; steps++) {
                fill(model, keys);
                fill(whole, keys);
                NavigableMap<K, String> expected = turned(part.of().apply(model), turned);
                Iterator<Map.Entry<K, String>> all =
                    turned(part.of().apply(whole), turned).entrySet().iterator();
                @Nullable K last = null;
                for (int i = 0; i < steps && next(expected, last) != null; i++) {
                  last = all.next().getKey();
                }
                if (puts) {
                  model.put(key, "beside");
                  whole.put(key, "beside");
                } else {
                  model.remove(key);
                  whole.remove(key);
                }
                Map.Entry<K, String> next;
                while ((next = next(expected, last)) != null) {
                  assertThat(all.next())
                      .as("%s, turned: %s, change %d behind %d", part, turned, change, steps)
                      .isEqualTo(next);
                  last = next.getKey();
                }
                assertThat(all.hasNext()).as("%s, change %d", part, change).isFalse();
                if (last != null && model.containsKey(last)) {
                  all.remove();
                  model.remove(last);
                }
                assertThat(whole.toString()).isEqualTo(model.toString());
              }
            }
          }
        });
  }

  @SuppressWarnings("DoNotCall") // that it is refused is tested
  private static <K> @Nullable String putFirst(NavigableMap<K, String> map, K key) {
    return map.putFirst(key, "n");
  }

  private static <K> Map.Entry<K, String> next(NavigableMap<K, String> map, @Nullable K last) {
    return last == null ? map.firstEntry() : map.tailMap(last, false).firstEntry();
  }

  // ---- Lists.

  private static List<Step<ListIterator<String>>> moves(int number) {
    return List.of(
        new Step<>("next", ListIterator::next),
        new Step<>("previous", ListIterator::previous),
        new Step<>(
            "add",
            all -> {
              all.add("n" + number);
              return "";
            }),
        new Step<>(
            "set",
            all -> {
              all.set("s" + number);
              return "";
            }),
        new Step<>(
            "remove",
            all -> {
              all.remove();
              return "";
            }));
  }

  /** Every five moves from every index of the list and of every part of it. */
  @Test
  void everyFewMovesOfAListIteratorAreThoseOfAnArrayLists() {
    int length = 5;
    PersistentList<String> list = store.list("list", Codec.utf8());
    store.run(
        tx -> {
          List<String> view = list.asList(tx);
          for (int size = 0; size <= 2; size++) {
            for (int start = 0; start <= size; start++) {
              for (int code = 0; code < Math.pow(5, length); code++) {
                List<String> model = new ArrayList<>(List.of("a", "b", "c", "d").subList(0, size));
                view.clear();
                view.addAll(model);
                boolean isPart = code % 7 == 0; // the JDK's iterator of a part over ours
                List<String> part = isPart ? view.subList(0, size) : view;
                ListIterator<String> shown = part.listIterator(start);
                ListIterator<String> expected =
                    (isPart ? model.subList(0, size) : model).listIterator(start);
                int rest = code;
                for (int i = 0; i < length; i++) {
                  Step<ListIterator<String>> move = moves(i).get(rest % 5);
                  rest /= 5;
                  assertThat(outcome(move, shown))
                      .as("%s in moves %d of %d from %d", move, code, size, start)
                      .isEqualTo(outcome(move, expected));
                  assertThat(shown.nextIndex()).isEqualTo(expected.nextIndex());
                  assertThat(shown.hasNext()).isEqualTo(expected.hasNext());
                  assertThat(shown.hasPrevious()).isEqualTo(expected.hasPrevious());
                }
                assertThat(view).as("after moves %d from %d", code, start).isEqualTo(model);
              }
            }
          }
        });
  }

  private static List<Step<List<String>>> listSteps(int index, int other) {
    return List.of(
        new Step<>("get", list -> list.get(index)),
        new Step<>("set", list -> list.set(index, "s")),
        new Step<>("remove", list -> list.remove(index)),
        new Step<>(
            "add",
            list -> {
              list.add(index, "n");
              return "";
            }),
        new Step<>("addAll", list -> list.addAll(index, List.of("m", "n"))),
        new Step<>("addAll none", list -> list.addAll(index, List.of())),
        new Step<>(
            "clear part",
            list -> {
              list.subList(index, other).clear();
              return "";
            }),
        new Step<>("part", list -> list.subList(index, other).indexOf("b") + "" + list),
        new Step<>("iterator", list -> list.listIterator(index).nextIndex()),
        new Step<>("removeAll", list -> list.removeAll(List.of("a", "c"))),
        new Step<>("retainAll", list -> list.retainAll(List.of("a", "c"))),
        new Step<>("removeFirst", List::removeFirst),
        new Step<>("removeLast", List::removeLast),
        new Step<>("lastIndexOf", list -> list.lastIndexOf("b") + "" + list.indexOf("b")),
        new Step<>("lastIndexOf first", list -> list.lastIndexOf("a") + "" + list.indexOf("a")),
        new Step<>("reversed", list -> list.reversed().removeIf("b"::equals)));
  }

  /** Every call with every index, one beyond both ends, on the list and on every part of it. */
  @Test
  void everyCallWithEveryIndexIsThatOfAnArrayList() {
    PersistentList<String> list = store.list("list", Codec.utf8());
    List<String> elements = List.of("a", "b", "c", "b");
    store.run(
        tx -> {
          List<String> view = list.asList(tx);
          for (int size = 0; size <= elements.size(); size++) {
            for (int from = 0; from <= size; from++) {
              for (int index = -1; index <= size + 1; index++) {
                for (int other = -1; other <= size + 1; other++) {
                  for (int kind = 0; kind < listSteps(0, 0).size(); kind++) {
                    Step<List<String>> step = listSteps(index, other).get(kind);
                    List<String> model = new ArrayList<>(elements.subList(0, size));
                    view.clear();
                    view.addAll(model);
                    List<String> part = from == 0 ? view : view.subList(from - 1, size);
                    List<String> expected = from == 0 ? model : model.subList(from - 1, size);
                    assertThat(outcome(step, part))
                        .as("%s %d %d of %d from %d", step, index, other, size, from)
                        .isEqualTo(outcome(step, expected));
                    assertThat(view)
                        .as("after %s %d %d of %d from %d", step, index, other, size, from)
                        .isEqualTo(model);
                  }
                }
              }
            }
          }
        });
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pages of an index, of each kind, from each key that it has or has not, and behind each entry:
 * they are the parts of the list of all entries. In a unique index the bytes of a key are all that
 * an entry has, so a page that begins with a key begins with just these bytes.
 */
final class IndexPagesTest {

  private static final Comparator<Map.Entry<Long, String>> ORDER =
      Comparator.comparing((Map.Entry<Long, String> entry) -> entry.getValue())
          .thenComparing(Map.Entry::getKey);

  private final WordStore store = WordStore.inMemory();

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private KeyedCollection<Long, String> map(boolean isSorted, Index<String, String> index) {
    return isSorted
        ? store.sortedMap("map", Codec.int64(), Codec.utf8(), index)
        : store.map("map", Codec.int64(), Codec.utf8(), index);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, 40", "false, true, 40", "true, false, 40", "true, true, 40",
    "false, false, 1", "false, true, 1", "true, false, 1", "true, true, 1",
    "false, false, 0", "false, true, 0", "true, false, 0", "true, true, 0"
  })
  void pagesAreThePartsOfAllEntries(boolean isSorted, boolean isUnique, int count) {
    Index<String, String> declaration =
        isUnique
            ? Index.unique("by value", value -> value, Codec.utf8())
            : Index.of("by value", value -> value, Codec.utf8());
    KeyedCollection<Long, String> map = map(isSorted, declaration);
    PersistentIndex<String, Long, String> index = map.index(declaration);
    Map<Long, String> model = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(isUnique ? 1 : 2);
    for (long key = 0; key < count; key++) {
      // Values that are the beginnings of others, and with zeros, which are escaped.
      String value = isUnique ? key / 2 + "\0".repeat((int) key % 2) : "" + random.nextInt(8);
      model.put(key, value);
      long put = key;
      store.run(tx -> map.put(tx, put, value));
    }
    List<Map.Entry<Long, String>> all =
        model.entrySet().stream()
            .map(entry -> Map.entry(entry.getKey(), entry.getValue()))
            .sorted(ORDER)
            .toList();
    List<String> values = new ArrayList<>(model.values());
    values.addAll(List.of("", "\0", "1\0\0", "5x", "99", "\uffff"));
    store.read(
        (Tx tx) -> {
          for (String value : values) {
            requireParts(tx, index, all, value, null);
            for (Map.Entry<Long, String> entry : all) {
              if (entry.getValue().equals(value)) {
                requireParts(tx, index, all, value, entry.getKey());
              }
            }
          }
          assertThat(index.descendingPage(tx, null, null, 100)).isEqualTo(all.reversed());
          return 0;
        });
  }

  private static void requireParts(
      Tx tx,
      PersistentIndex<String, Long, String> index,
      List<Map.Entry<Long, String>> all,
      String value,
      @Nullable Long after) {
    String what = value + ", " + after;
    Map.Entry<Long, String> last = after == null ? null : Map.entry(after, value);
    List<Map.Entry<Long, String>> from =
        all.stream()
            .filter(
                entry ->
                    last == null
                        ? entry.getValue().compareTo(value) >= 0
                        : ORDER.compare(entry, last) > 0)
            .toList();
    List<Map.Entry<Long, String>> down =
        all.reversed().stream()
            .filter(
                entry ->
                    last == null
                        ? entry.getValue().compareTo(value) <= 0
                        : ORDER.compare(entry, last) < 0)
            .toList();
    List<Map.Entry<Long, String>> equal =
        from.stream().filter(entry -> Objects.equals(entry.getValue(), value)).toList();
    for (int entries : new int[] {1, 2, 100}) {
      assertThat(index.pageFrom(tx, value, after, entries))
          .as("from %s", what)
          .isEqualTo(first(from, entries));
      assertThat(index.descendingPage(tx, value, after, entries))
          .as("down from %s", what)
          .isEqualTo(first(down, entries));
      assertThat(index.page(tx, value, after, entries))
          .as("of %s", what)
          .isEqualTo(first(equal, entries));
    }
    if (last == null) {
      assertThat(index.entries(tx, value)).as(what).containsExactlyElementsOf(equal);
      assertThat(index.descendingFrom(tx, value)).as(what).containsExactlyElementsOf(down);
      assertThat(index.first(tx, value))
          .as(what)
          .isEqualTo(equal.isEmpty() ? null : equal.getFirst());
    }
  }

  private static <E> List<E> first(List<E> all, int count) {
    return all.subList(0, Math.min(count, all.size()));
  }
}

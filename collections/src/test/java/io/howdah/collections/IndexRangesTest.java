package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec.Prefix;
import io.howdah.codec.derived.Codecs;
import io.howdah.txn.Tx;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Prefixes, the opposite order and pages of indexes and multimaps. */
final class IndexRangesTest {

  private static final List<String> CITIES =
      List.of("", "\0", "Be", "Be\0", "Be\0rn", "Be\1", "Bern", "Berne", "Köln", "\uffff", "😀");

  record Visit(String city, String day, int number) {}

  record ByDay(String city, String day) {}

  private static final Index<Visit, String> BY_CITY =
      Index.of("by city", Visit::city, String.class);

  private static final Index<Visit, ByDay> BY_DAY =
      Index.of("by day", IndexRangesTest::day, ByDay.class);

  private static ByDay day(Visit visit) {
    return new ByDay(visit.city(), visit.day());
  }

  private static final Index<Visit, Integer> BY_NUMBER =
      Index.unique("by number", Visit::number, Integer.class);

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2));

  private final PersistentMap<Long, Visit> map =
      store.map("visits", Long.class, Visit.class, BY_CITY, BY_DAY, BY_NUMBER);

  private final TreeMap<Long, Visit> model = new TreeMap<>();

  @BeforeEach
  void fill() {
    for (String city : CITIES) {
      for (String day : List.of("2025-12-31", "2026-01-01", "2026-01-02", "")) {
        long key = model.size();
        model.put(key, new Visit(city, day, (int) (key * 7 % 88)));
        model.put(key + 1, new Visit(city, day, 100 + (int) key));
      }
    }
    store.run(tx -> map.putAll(tx, model));
  }

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  /** Returns entries in the order of their cities and days, which is that of their keys, too. */
  private List<Map.Entry<Long, Visit>> expected(Predicate<Visit> filter) {
    return model.entrySet().stream()
        .filter(entry -> filter.test(entry.getValue()))
        .sorted(
            Comparator.comparingInt(
                    (Map.Entry<Long, Visit> e) -> CITIES.indexOf(e.getValue().city()))
                .thenComparing(e -> e.getValue().day())
                .thenComparing(Map.Entry::getKey))
        .map(entry -> Map.entry(entry.getKey(), entry.getValue()))
        .toList();
  }

  private <X> List<Map.Entry<Long, Visit>> found(Index<Visit, X> index, Object... prefix) {
    return store.read(tx -> map.index(index).withPrefix(tx, prefix).toList());
  }

  @Test
  void aPrefixFindsTheEntriesWhoseKeysBeginSo() {
    List<String> beginnings = new ArrayList<>(CITIES);
    beginnings.addAll(List.of("B", "Ber", "Be\0r", "Kö", "x"));
    for (String beginning : beginnings) {
      Predicate<Visit> begins = visit -> visit.city().startsWith(beginning);
      assertThat(found(BY_CITY, beginning))
          .as("beginning of length %d", beginning.length())
          .containsExactlyInAnyOrderElementsOf(expected(begins));
      assertThat(found(BY_DAY, Prefix.of(beginning))).isEqualTo(expected(begins));
      List<Map.Entry<Long, Visit>> descending =
          store.read(
              tx -> map.index(BY_DAY).descendingWithPrefix(tx, Prefix.of(beginning)).toList());
      assertThat(descending).isEqualTo(expected(begins).reversed());
      assertThat(found(BY_DAY, beginning))
          .isEqualTo(expected(visit -> visit.city().equals(beginning)));
      for (String day : List.of("", "2026", "2026-01-01", "3")) {
        assertThat(found(BY_DAY, beginning, day))
            .isEqualTo(
                expected(visit -> visit.city().equals(beginning) && visit.day().equals(day)));
        assertThat(found(BY_DAY, beginning, Prefix.of(day)))
            .isEqualTo(
                expected(visit -> visit.city().equals(beginning) && visit.day().startsWith(day)));
      }
    }
  }

  @Test
  void aWrongPrefixIsRefused() {
    assertThatThrownBy(() -> found(BY_NUMBER, 1))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no parts");
    assertThatThrownBy(() -> found(BY_DAY)).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> found(BY_DAY, 1)).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> found(BY_DAY, "a", "b", "c")).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> found(BY_DAY, Prefix.of("a"), "b"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("only the last");
    assertThatThrownBy(() -> found(BY_DAY, "a", Prefix.of(1))).isInstanceOf(CodecException.class);
  }

  @Test
  void theOppositeOrderIsTheOrderReversed() {
    PersistentIndex<ByDay, Long, Visit> byDay = map.index(BY_DAY);
    List<Map.Entry<Long, Visit>> all = expected(_ -> true);
    store.run(
        tx -> {
          assertThat(byDay.entries(tx)).containsExactlyElementsOf(all);
          assertThat(byDay.descending(tx)).containsExactlyElementsOf(all.reversed());
          for (Map.Entry<Long, Visit> each : all) {
            ByDay from = day(each.getValue());
            int end = all.indexOf(each);
            while (end < all.size() && from.equals(day(all.get(end).getValue()))) {
              end++;
            }
            assertThat(byDay.descendingFrom(tx, from))
                .containsExactlyElementsOf(all.subList(0, end).reversed());
          }
          assertThat(byDay.descendingFrom(tx, new ByDay("", "")))
              .containsExactlyElementsOf(all.subList(0, 2).reversed());
          assertThat(byDay.descendingFrom(tx, new ByDay("😀😀", ""))).hasSize(all.size());
        });
  }

  @Test
  void pagesInTheOppositeOrderLeaveNothingOut() {
    PersistentIndex<ByDay, Long, Visit> byDay = map.index(BY_DAY);
    PersistentIndex<Integer, Long, Visit> byNumber = map.index(BY_NUMBER);
    for (int size : new int[] {1, 3, 1000}) {
      List<Map.Entry<Long, Visit>> paged = new ArrayList<>();
      List<Integer> numbers = new ArrayList<>();
      while (true) {
        Map.@Nullable Entry<Long, Visit> last = paged.isEmpty() ? null : paged.getLast();
        List<Map.Entry<Long, Visit>> page =
            store.read(
                tx ->
                    last == null
                        ? byDay.descendingPage(tx, null, null, size)
                        : byDay.descendingPage(
                            tx,
                            new ByDay(last.getValue().city(), last.getValue().day()),
                            last.getKey(),
                            size));
        if (page.isEmpty()) {
          break;
        }
        paged.addAll(page);
      }
      assertThat(paged).isEqualTo(expected(_ -> true).reversed());
      while (true) {
        Integer last = numbers.isEmpty() ? null : numbers.getLast();
        List<Map.Entry<Long, Visit>> page =
            store.read(tx -> byNumber.descendingPage(tx, last, last == null ? null : 0L, size));
        if (page.isEmpty()) {
          break;
        }
        page.forEach(entry -> numbers.add(entry.getValue().number()));
      }
      assertThat(numbers)
          .isEqualTo(
              model.values().stream()
                  .map(Visit::number)
                  .sorted(Comparator.reverseOrder())
                  .toList());
    }
    assertThatThrownBy(() -> store.read(tx -> byDay.descendingPage(tx, null, null, 0)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void multimapsHavePrefixesAndTheOppositeOrder() {
    PersistentMultimap<String, Integer> many = store.multimap("many", Codec.utf8(), Codec.int32());
    PersistentMultimap<ByDay, Integer> days =
        store.multimap("days", Codecs.ordered(ByDay.class), Codec.int32());
    store.run(
        tx -> {
          for (String city : CITIES) {
            many.put(tx, city, 2);
            many.put(tx, city, -1);
            days.put(tx, new ByDay(city, "d"), 1);
          }
          assertThat(many.withPrefix(tx, "Be\0"))
              .containsExactly(
                  Map.entry("Be\0", -1),
                  Map.entry("Be\0", 2),
                  Map.entry("Be\0rn", -1),
                  Map.entry("Be\0rn", 2));
          assertThat(many.withPrefix(tx, "")).hasSize(2 * CITIES.size());
          assertThat(many.descending(tx).map(Map.Entry::getKey).distinct())
              .containsExactlyElementsOf(CITIES.reversed());
          assertThat(days.withPrefix(tx, "Bern"))
              .containsExactly(Map.entry(new ByDay("Bern", "d"), 1));
          assertThat(days.withPrefix(tx, Prefix.of("Bern"))).hasSize(2);
        });
  }

  /** Every bound at every city, both orders, against a filter of all entries. */
  @Test
  void aRangeFindsWhatLiesBetweenItsBounds() {
    List<String> bounds = new ArrayList<>(CITIES);
    bounds.addAll(List.of("B", "Ber", "Ka", "zz"));
    for (String low : bounds) {
      assertRange(Range.from(low), city -> order(city, low) >= 0);
      assertRange(Range.upTo(low), city -> order(city, low) <= 0);
      assertRange(Range.prefix(low), city -> city.startsWith(low));
      assertRange(Range.behind(low, Range.all()), city -> order(city, low) > 0);
      for (String high : bounds) {
        assertRange(
            Range.between(low, high), city -> order(city, low) >= 0 && order(city, high) < 0);
        assertRange(
            Range.behind(low, Range.upTo(high)),
            city -> order(city, low) > 0 && order(city, high) <= 0);
      }
    }
    assertRange(Range.all(), _ -> true);
  }

  /** The order of UTF-8, which is that of code points. */
  private static int order(String one, String other) {
    return Arrays.compareUnsigned(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  private void assertRange(Range<String> range, Predicate<String> isIn) {
    PersistentIndex<String, Long, Visit> byCity = map.index(BY_CITY);
    List<Map.Entry<Long, Visit>> all = store.read(tx -> byCity.entries(tx).toList());
    List<Map.Entry<Long, Visit>> expected =
        all.stream().filter(entry -> isIn.test(entry.getValue().city())).toList();
    assertThat(store.read((Tx tx) -> byCity.range(tx, range).toList()))
        .as("%s", range)
        .isEqualTo(expected);
    for (int size : new int[] {1, 3, 1000}) {
      assertThat(pages(byCity, range, size)).as("%s by %d", range, size).isEqualTo(expected);
    }
    if (range.last() == null) {
      Range<String> reversed = Range.reversed(range);
      assertThat(store.read((Tx tx) -> byCity.range(tx, reversed).toList()))
          .as("%s", reversed)
          .isEqualTo(expected.reversed());
      assertThat(pages(byCity, reversed, 3)).as("%s", reversed).isEqualTo(expected.reversed());
    }
  }

  private List<Map.Entry<Long, Visit>> pages(
      PersistentIndex<String, Long, Visit> index, Range<String> range, int size) {
    List<Map.Entry<Long, Visit>> found = new ArrayList<>();
    while (true) {
      Map.Entry<Long, Visit> after = found.isEmpty() ? null : found.getLast();
      List<Map.Entry<Long, Visit>> page = store.read(tx -> index.page(tx, range, after, size));
      if (after != null) {
        assertThat(page).doesNotContain(after); // else the pages never end
      }
      found.addAll(page);
      if (page.size() < size) {
        return found;
      }
    }
  }

  /** No bytes are behind those of the greatest key. */
  @Test
  void nothingIsBehindTheGreatestKey() {
    store.run(tx -> map.put(tx, 1000L, new Visit("last", "", Integer.MAX_VALUE)));
    PersistentIndex<Integer, Long, Visit> byNumber = map.index(BY_NUMBER);
    store.run(
        tx -> {
          assertThat(byNumber.range(tx, Range.from(Integer.MAX_VALUE))).hasSize(1);
          assertThat(byNumber.range(tx, Range.upTo(Integer.MAX_VALUE))).hasSize(model.size() + 1);
          assertThat(byNumber.range(tx, Range.behind(Integer.MAX_VALUE, Range.all()))).isEmpty();
          assertThat(
                  byNumber.range(
                      tx, Range.behind(Integer.MAX_VALUE, Range.reversed(Range.<Integer>all()))))
              .hasSize(model.size());
        });
  }

  @Test
  void aPageGoesOnBehindAnEntryThatIsGone() {
    PersistentIndex<String, Long, Visit> byCity = map.index(BY_CITY);
    Range<String> range = Range.prefix("Be");
    List<Map.Entry<Long, Visit>> all = store.read(tx -> byCity.range(tx, range).toList());
    Map.Entry<Long, Visit> gone = all.get(4);
    store.run(tx -> map.remove(tx, gone.getKey()));
    assertThat(store.read((Tx tx) -> byCity.page(tx, range, gone, 2))).isEqualTo(all.subList(5, 7));
    assertThatThrownBy(() -> store.read(tx -> byCity.page(tx, range, null, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1");
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.Codecs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ranges, prefixes and pages of sorted maps, and operations of whole maps. */
final class SortedRangesTest {

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2);

  private final WordStore store = WordStore.inMemory(SMALL);

  record Key(String customer, int day, int number) {}

  record Small(byte a, short b, byte c, int d) {}

  private final PersistentSortedMap<Key, Integer> orders =
      store.sortedMap("orders", Codecs.ordered(Key.class), Codec.int32());

  private final PersistentSortedMap<Long, Long> longs =
      store.sortedMap("longs", Codec.int64(), Codec.int64());

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private <K> List<K> keys(PersistentSortedMap<K, ?> map, Object... prefix) {
    return store.read(tx -> map.range(tx, Range.prefix(prefix)).map(Map.Entry::getKey).toList());
  }

  @Test
  void aPrefixFindsTheKeysWithTheseFirstComponents() {
    String[] customers = {"", "a", "a\0", "a\0b", "aa", "b", "\uffff", "😀"};
    List<Key> all = new ArrayList<>();
    store.run(
        tx -> {
          all.clear();
          for (String customer : customers) {
            for (int day : new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE}) {
              for (int number = 0; number < 5; number++) {
                Key key = new Key(customer, day, number);
                all.add(key);
                orders.put(tx, key, number);
              }
            }
          }
        });
    for (String customer : customers) {
      assertThat(keys(orders, customer))
          .isEqualTo(all.stream().filter(key -> key.customer().equals(customer)).toList());
      assertThat(keys(orders, customer, -1))
          .isEqualTo(
              all.stream()
                  .filter(key -> key.customer().equals(customer) && key.day() == -1)
                  .toList());
      assertThat(keys(orders, customer, Integer.MAX_VALUE, 4))
          .containsExactly(new Key(customer, Integer.MAX_VALUE, 4));
    }
    assertThat(keys(orders, "c")).isEmpty();
  }

  @Test
  void aPrefixOfEightByteKeysIsShorterThanAWord() {
    OrderedCodec<Small> codec = Codecs.ordered(Small.class);
    assertThat(codec.fixedLength()).isEqualTo(8);
    PersistentSortedMap<Small, Integer> map = store.sortedMap("small", codec, Codec.int32());
    store.run(
        tx -> {
          for (byte a = -2; a <= 2; a++) {
            for (short b = -1; b <= 1; b++) {
              map.put(tx, new Small(a, b, Byte.MAX_VALUE, Integer.MAX_VALUE), 1);
              map.put(tx, new Small(a, b, Byte.MIN_VALUE, Integer.MIN_VALUE), 1);
            }
          }
          map.put(tx, new Small(Byte.MAX_VALUE, (short) -1, (byte) -1, -1), 1);
        });
    assertThat(keys(map, (byte) 1)).hasSize(6).allMatch(key -> key.a() == 1);
    assertThat(keys(map, (byte) -2, (short) 0)).hasSize(2);
    assertThat(keys(map, Byte.MAX_VALUE)).hasSize(1);
  }

  record Regional(int region, long id) {}

  @Test
  void aPrefixWhoseLastByteIsTheHighestHasNoKeysOfTheNextOnes() {
    int[] regions = {-257, -256, -1, 0, 254, 255, 256, 257, 510, 511, 65535, 65536};
    PersistentSortedMap<Regional, Integer> map =
        store.sortedMap("regions", Codecs.ordered(Regional.class), Codec.int32());
    store.run(
        tx -> {
          for (int region : regions) {
            map.put(tx, new Regional(region, Long.MIN_VALUE), region);
            map.put(tx, new Regional(region, 255), region);
            map.put(tx, new Regional(region, Long.MAX_VALUE), region);
          }
        });
    for (int region : regions) {
      List<Regional> expected =
          List.of(
              new Regional(region, Long.MIN_VALUE),
              new Regional(region, 255),
              new Regional(region, Long.MAX_VALUE));
      assertThat(keys(map, region)).isEqualTo(expected);
      List<Regional> descending =
          store.read(
              tx ->
                  map.range(tx, Range.reversed(Range.prefix(region)))
                      .map(Map.Entry::getKey)
                      .toList());
      assertThat(descending).isEqualTo(expected.reversed());
    }
  }

  @Test
  void removingAKeyOfAMultimapLeavesTheNextOnes() {
    PersistentMultimap<Integer, Long> map =
        store.multimap("byRegion", Codec.int32(), Codec.int64());
    store.run(
        tx -> {
          for (int region : new int[] {254, 255, 256}) {
            map.put(tx, region, 7L);
          }
        });
    long removed = store.call(tx -> map.removeAll(tx, 255));
    assertThat(removed).isEqualTo(1);
    List<Integer> left = store.read(tx -> map.entries(tx).map(Map.Entry::getKey).toList());
    assertThat(left).containsExactly(254, 256);
  }

  @Test
  void aPrefixOfStringsIsTheirBeginning() {
    PersistentSortedMap<String, Integer> map =
        store.sortedMap("names", Codec.utf8(), Codec.int32());
    store.run(
        tx -> {
          for (String name : List.of("", "anna", "anne", "anselm", "b", "\uffff", "😀x", "😀")) {
            map.put(tx, name, 1);
          }
        });
    assertThat(keys(map, "ann")).containsExactly("anna", "anne");
    assertThat(keys(map, "")).hasSize(8);
    assertThat(keys(map, "😀")).containsExactly("😀", "😀x");
    assertThat(keys(map, "c")).isEmpty();
  }

  @Test
  void aWrongPrefixIsRefused() {
    assertThatThrownBy(() -> keys(orders))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("1 to 3 parts, not with 0");
    assertThatThrownBy(() -> keys(orders, "a", 1, 2, 3)).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> keys(orders, 1))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Key.customer")
        .hasMessageContaining("java.lang.Integer");
    assertThatThrownBy(() -> keys(longs, 1L))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("int64 has no parts");
  }

  @Test
  void rangesAndPagesAreThoseOfATreeMap() {
    SplittableRandom random = new SplittableRandom(3);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (int i = 0; i < 500; i++) {
      long key = random.nextLong() >> random.nextInt(64);
      model.put(key, (long) i);
    }
    store.run(tx -> longs.putAll(tx, model));
    for (int i = 0; i < 300; i++) {
      long from = random.nextLong() >> random.nextInt(64);
      long to = random.nextLong() >> random.nextInt(64);
      List<Map.Entry<Long, Long>> range =
          store.read(tx -> longs.range(tx, Range.between(from, to)).toList());
      assertThat(range)
          .isEqualTo(from >= to ? List.of() : List.copyOf(model.subMap(from, to).entrySet()));
    }
    List<Map.Entry<Long, Long>> paged = new ArrayList<>();
    while (true) {
      Long after = paged.isEmpty() ? null : paged.getLast().getKey();
      List<Map.Entry<Long, Long>> page =
          store.read(tx -> longs.page(tx, Range.behind(after, Range.all()), 7));
      if (page.isEmpty()) {
        break;
      }
      paged.addAll(page);
    }
    assertThat(paged).isEqualTo(List.copyOf(model.entrySet()));
    assertThatThrownBy(() -> store.read(tx -> longs.page(tx, Range.behind(null, Range.all()), 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"longs\"");
  }

  @Test
  void pagesGoThroughTheKeysWithTheseFirstComponents() {
    store.run(
        tx -> {
          for (String customer : List.of("alice", "bob", "carol")) {
            for (int number = 0; number < 10; number++) {
              orders.put(tx, new Key(customer, number / 5, number), number);
            }
          }
        });
    List<Integer> paged = new ArrayList<>();
    Key after = null;
    for (int pages = 1; pages <= 5; pages++) {
      Key last = after;
      List<Map.Entry<Key, Integer>> page =
          store.read(tx -> orders.page(tx, Range.behind(last, Range.prefix("bob")), 3));
      if (page.isEmpty()) {
        assertThat(pages).isEqualTo(5);
        break;
      }
      assertThat(page)
          .hasSizeLessThanOrEqualTo(3)
          .allMatch(e -> e.getKey().customer().equals("bob"));
      page.forEach(entry -> paged.add(entry.getValue()));
      after = page.getLast().getKey();
    }
    assertThat(paged).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(page(new Key("bob", 0, 3), 5, "bob", 0)).containsExactly(4);
    assertThat(page(new Key("alice", 1, 9), 2, "bob")).containsExactly(0, 1);
    assertThat(page(new Key("carol", 0, 0), 2, "bob")).isEmpty();
    assertThat(page(null, 2, OrderedCodec.Prefix.of("ca"))).containsExactly(0, 1);
    assertThatThrownBy(() -> page(null, 0, "bob"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"orders\"");
    assertThatThrownBy(() -> page(null, 1, 5)).isInstanceOf(CodecException.class);
  }

  @Test
  void pagesInTheOppositeOrderAreTheSamePagesReversed() {
    store.run(
        tx -> {
          for (String customer : List.of("alice", "bob", "carol")) {
            for (int number = 0; number < 10; number++) {
              orders.put(tx, new Key(customer, number / 5, number), number);
            }
          }
        });
    for (Object[] prefix :
        List.of(new Object[] {}, new Object[] {"bob"}, new Object[] {"bob", 1})) {
      List<Map.Entry<Key, Integer>> all =
          store.read(
              tx ->
                  (prefix.length == 0 ? orders.entries(tx) : orders.range(tx, Range.prefix(prefix)))
                      .toList());
      assertThat(all).hasSize(prefix.length == 0 ? 30 : prefix.length == 1 ? 10 : 5);
      List<Map.Entry<Key, Integer>> paged = new ArrayList<>();
      for (int pages = 0; pages <= 30; pages++) {
        Key before = paged.isEmpty() ? null : paged.getLast().getKey();
        List<Map.Entry<Key, Integer>> page =
            store.read(
                tx ->
                    prefix.length == 0
                        ? orders.page(tx, Range.behind(before, Range.reversed(Range.all())), 3)
                        : orders.page(
                            tx, Range.behind(before, Range.reversed(Range.prefix(prefix))), 3));
        assertThat(page).hasSize(Math.min(3, all.size() - paged.size()));
        paged.addAll(page);
      }
      assertThat(paged).isEqualTo(all.reversed());
      if (prefix.length > 0) {
        List<Map.Entry<Key, Integer>> descending =
            store.read(tx -> orders.range(tx, Range.reversed(Range.prefix(prefix))).toList());
        assertThat(descending).isEqualTo(all.reversed());
      }
    }
    assertThat(descendingPage(new Key("alice", 0, 0), "bob")).isEmpty();
    assertThat(descendingPage(new Key("carol", 0, 0), "bob"))
        .extracting(Map.Entry::getValue)
        .containsExactly(9, 8);
    assertThatThrownBy(
            () ->
                store.read(
                    tx -> orders.page(tx, Range.behind(null, Range.reversed(Range.all())), 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"orders\"");
    assertThatThrownBy(
            () ->
                store.read(
                    tx ->
                        orders.page(
                            tx, Range.behind(null, Range.reversed(Range.prefix("bob"))), 0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> store.read(tx -> orders.range(tx, Range.reversed(Range.prefix(5))).toList()))
        .isInstanceOf(CodecException.class);
  }

  private List<Map.Entry<Key, Integer>> descendingPage(Key before, Object... parts) {
    return store.read(
        tx -> orders.page(tx, Range.behind(before, Range.reversed(Range.prefix(parts))), 2));
  }

  private List<Integer> page(@Nullable Key after, int entries, Object... parts) {
    return store.read(
        tx ->
            orders.page(tx, Range.behind(after, Range.prefix(parts)), entries).stream()
                .map(Map.Entry::getValue)
                .toList());
  }

  @Test
  void aRangeGoesOnWhileTheMapChanges() {
    store.run(
        tx -> {
          for (long key = 0; key < 200; key++) {
            longs.put(tx, key, key);
          }
          List<Long> shown = new ArrayList<>();
          longs
              .range(tx, Range.between(50L, 150L))
              .forEach(
                  entry -> {
                    long key = entry.getKey();
                    shown.add(key);
                    longs.remove(tx, key);
                    longs.remove(tx, key + 1);
                    longs.put(tx, key + 1000, 0L);
                  });
          assertThat(shown).isEqualTo(LongStream.range(25, 75).map(i -> 2 * i).boxed().toList());
        });
  }

  @Test
  void wholeMapsAreClearedAndPolled() {
    PersistentMap<Long, String> map = store.map("map", Codec.int64(), Codec.utf8());
    store.run(
        tx -> {
          for (long i = 0; i < 300; i++) {
            map.put(tx, i, "x".repeat((int) i));
            longs.put(tx, i, i);
          }
        });
    store.run(
        tx -> {
          assertThat(longs.pollFirst(tx)).isEqualTo(Map.entry(0L, 0L));
          assertThat(longs.pollLast(tx)).isEqualTo(Map.entry(299L, 299L));
          assertThat(longs.size(tx)).isEqualTo(298);
          map.clear(tx);
          longs.clear(tx);
          assertThat(map.size(tx)).isZero();
          assertThat(longs.pollFirst(tx)).isNull();
          assertThat(longs.entries(tx)).isEmpty();
          assertThat(map.entries(tx)).isEmpty();
        });
  }

  @Test
  void valuesAreComputedIfAbsentOrPresent() {
    store.run(
        tx -> {
          assertThat(longs.computeIfAbsent(tx, 1L, key -> key + 1)).isEqualTo(2);
          assertThat(
                  longs.computeIfAbsent(
                      tx,
                      1L,
                      _ -> {
                        throw new AssertionError("it is there");
                      }))
              .isEqualTo(2);
          assertThat(longs.computeIfAbsent(tx, 2L, _ -> null)).isNull();
          assertThat(longs.containsKey(tx, 2L)).isFalse();
          assertThat(longs.computeIfPresent(tx, 2L, (_, v) -> v)).isNull();
          assertThat(longs.computeIfPresent(tx, 1L, (_, v) -> v + 1)).isEqualTo(3);
          assertThat(longs.computeIfPresent(tx, 1L, (_, _) -> null)).isNull();
          assertThat(longs.isEmpty(tx)).isTrue();
        });
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When entries of sorted maps expire: from then on they are in no result of any kind, and their
 * memory is given back.
 */
final class ExpiringSortedMapTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Expiry EXPIRY = Expiry.after(TTL);
  private static final int KEYS = 120;
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());
  private static final Index<String, String> BY_TEXT =
      Index.unique("by text", text -> text, Codec.utf8());

  private final SettableClock clock = new SettableClock();
  private final WordStore store = WordStore.withoutReclaiming(clock);

  @AfterEach
  void close() {
    store.close();
  }

  private PersistentSortedMap<Long, String> open() {
    return store.sortedMap("map", Codec.int64(), Codec.utf8(), EXPIRY);
  }

  /** The keys 1 to 9; all but 3, 5 and 7 have expired. */
  private PersistentSortedMap<Long, String> threeOfNine(PersistentSortedMap<Long, String> map) {
    for (long key = 1; key <= 9; key++) {
      long own = key;
      boolean stays = own == 3 || own == 5 || own == 7;
      Duration lives = stays ? Duration.ofDays(1) : TTL;
      store.run(tx -> map.expiry().put(tx, own, "text " + own, lives));
    }
    clock.move(TTL.toMillis());
    return map;
  }

  private static List<Long> keys(List<Map.Entry<Long, String>> entries) {
    return entries.stream().map(Map.Entry::getKey).toList();
  }

  @Test
  void anExpiredEntryIsInNoResult() {
    PersistentSortedMap<Long, String> map =
        threeOfNine(
            store.sortedMap("map", Codec.int64(), Codec.utf8(), EXPIRY, BY_LENGTH, BY_TEXT));
    store.read(
        (Tx tx) -> {
          assertThat(map.get(tx, 4L)).isNull();
          assertThat(map.containsKey(tx, 4L)).isFalse();
          assertThat(map.getAll(tx, List.of(4L, 5L))).isEqualTo(Map.of(5L, "text 5"));
          assertThat(map.size(tx)).isEqualTo(3);
          assertThat(map.isEmpty(tx)).isFalse();
          assertThat(map.keys(tx)).containsExactly(3L, 5L, 7L);
          assertThat(map.values(tx)).containsExactly("text 3", "text 5", "text 7");
          assertThat(map.first(tx)).isEqualTo(Map.entry(3L, "text 3"));
          assertThat(map.last(tx)).isEqualTo(Map.entry(7L, "text 7"));
          assertThat(map.floor(tx, 6L)).isEqualTo(Map.entry(5L, "text 5"));
          assertThat(map.ceiling(tx, 6L)).isEqualTo(Map.entry(7L, "text 7"));
          assertThat(map.lower(tx, 5L)).isEqualTo(Map.entry(3L, "text 3"));
          assertThat(map.higher(tx, 7L)).isNull();
          assertThat(map.range(tx, Range.between(4L, 8L)).map(Map.Entry::getKey))
              .containsExactly(5L, 7L);
          assertThat(keys(map.page(tx, Range.reversed(Range.all()), 2))).containsExactly(7L, 5L);
          List<Long> scanned = new ArrayList<>();
          map.scan(tx, 2L, null, (key, _) -> scanned.add(key));
          assertThat(scanned).containsExactly(3L, 5L, 7L);
          assertThat(map.asMap(tx)).hasSize(3).containsOnlyKeys(3L, 5L, 7L);
          assertThat(map.asMap(tx).headMap(4L)).containsOnlyKeys(3L);
          assertThat(map.asMap(tx).tailMap(8L)).isEmpty();
          assertThat(map.index(BY_LENGTH).size(tx)).isEqualTo(3);
          assertThat(map.index(BY_TEXT).get(tx, "text 4")).isNull();
          assertThat(map.expiry().expiresAt(tx, 4L)).isNull();
          assertThat(map.expiry().remaining(tx, 4L)).isNull();
          assertThat(map.expiry().storedEntries(tx)).isEqualTo(9);
          return 0;
        });
    assertThat(store.call((Tx tx) -> map.remove(tx, 4L))).isFalse();
    assertThat(store.<Boolean, RuntimeException>call(tx -> map.expiry().touch(tx, 6L))).isFalse();
    assertThat(store.<Long, RuntimeException>read(map.expiry()::storedEntries)).isEqualTo(8);
    store.run(tx -> map.put(tx, 10L, "text 9")); // its place in the unique index is free
    assertThat(map.expiry().reclaim()).isEqualTo(4);
    assertThat(store.<Long, RuntimeException>read(map.expiry()::storedEntries)).isEqualTo(4);
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void theFirstAndTheLastThatIsPolledIsThere() {
    PersistentSortedMap<Long, String> map = threeOfNine(open());
    assertThat(store.call((Tx tx) -> Objects.requireNonNull(map.pollFirst(tx))))
        .isEqualTo(Map.entry(3L, "text 3"));
    assertThat(store.call((Tx tx) -> Objects.requireNonNull(map.pollLast(tx))))
        .isEqualTo(Map.entry(7L, "text 7"));
    clock.move(Duration.ofDays(2).toMillis());
    store.run(
        tx -> {
          assertThat(map.pollFirst(tx)).isNull();
          assertThat(map.isEmpty(tx)).isTrue();
        });
    assertThat(map.expiry().reclaim()).isEqualTo(7);
    Blocks.assertNothingLeaks(store);
  }

  /** More than a step of a pass looks at. */
  @Test
  void aPassReclaimsAllThatHasExpired() {
    PersistentSortedMap<Long, String> map = open();
    store.run(
        tx -> {
          for (long key = 0; key < 1000; key++) {
            map.expiry().put(tx, key, "text", key % 4 == 0 ? Duration.ofDays(1) : TTL);
          }
        });
    clock.move(TTL.toMillis());
    assertThat(map.expiry().reclaim()).isEqualTo(750);
    assertThat(store.<Long, RuntimeException>read(map.expiry()::storedEntries)).isEqualTo(250);
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void timesOfSingleEntries() {
    PersistentSortedMap<Long, String> map = open();
    store.run(
        tx -> {
          map.put(tx, 1L, "one");
          map.expiry().putForever(tx, 2L, "two");
          map.expiry().put(tx, 3L, "three", Duration.ofMillis(5));
          assertThat(map.expiry().remaining(tx, 1L)).isEqualTo(TTL);
          assertThat(map.expiry().remaining(tx, 2L)).isEqualTo(EntryExpiry.FOREVER);
          assertThat(map.expiry().touch(tx, 3L, Duration.ofSeconds(60))).isTrue();
          assertThat(map.expiry().persist(tx, 1L)).isTrue();
        });
    clock.move(20_000);
    store.run(
        tx -> {
          assertThat(map.keys(tx)).containsExactly(1L, 2L, 3L);
          assertThat(map.get(tx, 3L)).as("its value stays").isEqualTo("three");
          assertThat(map.expiry().remaining(tx, 3L)).isEqualTo(Duration.ofSeconds(40));
        });
  }

  /** What has expired is removed by the build, so no later removal looks for it in the index. */
  @Test
  void anIndexIsBuiltOverWhatHasNotExpired() {
    PersistentSortedMap<Long, String> _ = threeOfNine(open());
    PersistentSortedMap<Long, String> indexed =
        store.sortedMap("map", Codec.int64(), Codec.utf8(), EXPIRY, BY_TEXT);
    assertThat(store.<Long, RuntimeException>read(tx -> indexed.index(BY_TEXT).size(tx)))
        .isEqualTo(3);
    assertThat(store.<Long, RuntimeException>read(indexed.expiry()::storedEntries)).isEqualTo(3);
    assertThat(indexed.expiry().reclaim()).isZero();
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void aJournalTellsWhatWasRemovedFromWhatHadExpired() {
    PersistentSortedMap<Long, String> map =
        threeOfNine(
            store.sortedMap(
                "map", Codec.int64(), Codec.utf8(), EXPIRY, ChangeJournal.keeping(100)));
    store.run(tx -> map.clear(tx));
    List<Change<Long, String>> changes =
        store.<List<Change<Long, String>>, RuntimeException>read(
            tx -> map.changes().after(tx, 9, 100));
    assertThat(changes.stream().filter(Change.Removed.class::isInstance).map(Change::key))
        .containsExactly(3L, 5L, 7L);
    assertThat(changes.stream().filter(Change.Expired.class::isInstance).map(Change::key))
        .containsExactly(1L, 2L, 4L, 6L, 8L, 9L);
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void aSortedMapKeepsWhetherItsEntriesExpire() {
    PersistentSortedMap<Long, String> _ = open();
    assertThatThrownBy(() -> store.sortedMap("map", Codec.int64(), Codec.utf8()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("is an expiring sorted map of int64 to utf8");
    PersistentSortedMap<Long, String> plain = store.sortedMap("plain", Codec.int64(), Codec.utf8());
    assertThatThrownBy(() -> store.sortedMap("plain", Codec.int64(), Codec.utf8(), EXPIRY))
        .isInstanceOf(CollectionMismatchException.class);
    assertThatThrownBy(plain::expiry).isInstanceOf(IllegalArgumentException.class);
  }

  /** Values of fixed length, and of any; puts of groups, ranges in both directions, reclaiming. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void randomChangesAreThoseOfAModel(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    PersistentSortedMap<Long, Long> map =
        store.sortedMap("numbers", Codec.int64(), Codec.int64(), EXPIRY);
    TreeMap<Long, long[]> model = new TreeMap<>(); // value, and when it expires
    for (int step = 0; step < 2000; step++) {
      long key = random.nextInt(KEYS);
      long value = step;
      long now = clock.millis();
      switch (random.nextInt(8)) {
        case 0 -> {
          boolean isThere = isThere(model, key, now);
          assertThat(store.<Boolean, RuntimeException>call(tx -> map.remove(tx, key)))
              .isEqualTo(isThere);
          model.remove(key);
        }
        case 1 -> clock.move(random.nextInt(800));
        case 2 -> {
          Map<Long, Long> many = new TreeMap<>();
          random.longs(10, 0, KEYS).forEach(each -> many.put(each, value));
          store.run(tx -> map.putAll(tx, many));
          many.forEach((each, _) -> model.put(each, new long[] {value, now + TTL.toMillis()}));
        }
        case 3 -> {
          Duration lives = Duration.ofMillis(1 + random.nextInt(20_000));
          store.run(tx -> map.expiry().put(tx, key, value, lives));
          model.put(key, new long[] {value, now + lives.toMillis()});
        }
        case 4 -> {
          boolean isThere = isThere(model, key, now);
          assertThat(store.<Boolean, RuntimeException>call(tx -> map.expiry().touch(tx, key)))
              .isEqualTo(isThere);
          if (isThere) {
            Objects.requireNonNull(model.get(key))[1] = now + TTL.toMillis();
          }
        }
        case 5 -> {
          long _ = map.expiry().reclaim();
          model.values().removeIf(each -> each[1] <= now);
          assertThat(store.<Long, RuntimeException>read(map.expiry()::storedEntries))
              .isEqualTo(model.size());
        }
        default -> {
          store.run(tx -> map.put(tx, key, value));
          model.put(key, new long[] {value, now + TTL.toMillis()});
        }
      }
      requireSame(map, model, key);
    }
    Blocks.assertNothingLeaks(store);
  }

  private static boolean isThere(Map<Long, long[]> model, long key, long now) {
    long[] found = model.get(key);
    return found != null && found[1] > now;
  }

  private void requireSame(
      PersistentSortedMap<Long, Long> map, Map<Long, long[]> model, long from) {
    TreeMap<Long, Long> expected = new TreeMap<>();
    long now = clock.millis();
    model.forEach(
        (key, each) -> {
          if (each[1] > now) {
            expected.put(key, each[0]);
          }
        });
    store.read(
        (Tx tx) -> {
          assertThat(map.entries(tx)).containsExactlyElementsOf(expected.entrySet());
          assertThat(map.floor(tx, from)).isEqualTo(expected.floorEntry(from));
          assertThat(map.higher(tx, from)).isEqualTo(expected.higherEntry(from));
          assertThat(map.get(tx, from)).isEqualTo(expected.get(from));
          return 0;
        });
  }
}

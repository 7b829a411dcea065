package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.RegionFullException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A load puts what single puts put, in transactions of its own, and says what is there. */
final class BulkLoadTest {

  private static final Duration LIFE = Duration.ofMinutes(1);
  private static final int KEPT = 10_000;
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());

  private final SettableClock clock = new SettableClock();

  private WordStore store = open(WordOptions.defaults());

  private WordStore open(WordOptions options) {
    return WordStore.inMemory(
        options.withPartitions(2).withExecution(new NoReclaiming()).withClock(clock));
  }

  @AfterEach
  void close() {
    store.close();
  }

  enum Kind {
    MAP,
    INDEXED,
    EXPIRING,
    JOURNALED,
    SORTED,
    SORTED_INDEXED,
    SORTED_JOURNALED
  }

  private KeyedCollection<Long, String> open(Kind kind, String name) {
    Codec<String> text = Codec.utf8();
    ChangeJournal journal = ChangeJournal.keeping(KEPT);
    return switch (kind) {
      case MAP -> store.map(name, Codec.int64(), text);
      case INDEXED -> store.map(name, Codec.int64(), text, BY_LENGTH);
      case EXPIRING -> store.map(name, Codec.int64(), text, Expiry.after(LIFE));
      case JOURNALED -> store.map(name, Codec.int64(), text, journal);
      case SORTED -> store.sortedMap(name, Codec.int64(), text);
      case SORTED_INDEXED -> store.sortedMap(name, Codec.int64(), text, BY_LENGTH);
      case SORTED_JOURNALED -> store.sortedMap(name, Codec.int64(), text, journal);
    };
  }

  private static Iterator<Map.Entry<Long, String>> entries(List<Long> keys, String value) {
    return keys.stream().map(key -> Map.entry(key, value + key)).iterator();
  }

  private static List<Long> keys(int order, int count) {
    List<Long> keys = new ArrayList<>(LongStream.range(0, count).boxed().toList());
    switch (order) {
      case 0 -> {}
      case 1 -> Collections.shuffle(keys, new Random(count));
      case 2 -> Collections.reverse(keys);
      default -> Collections.swap(keys, count / 2, count / 3); // two are out of order
    }
    return keys;
  }

  private List<Object> contents(KeyedCollection<Long, String> map, Kind kind) {
    return store.read(
        tx -> {
          List<Object> all = new ArrayList<>();
          all.add(new TreeMap<>(map.getAll(tx, LongStream.range(-10, 3000).boxed().toList())));
          all.add(map.size(tx));
          if (kind == Kind.INDEXED || kind == Kind.SORTED_INDEXED) {
            all.add(map.index(BY_LENGTH).entries(tx).toList());
          }
          if (kind == Kind.JOURNALED || kind == Kind.SORTED_JOURNALED) {
            all.add(map.changes().after(tx, 0, KEPT));
          }
          return all;
        });
  }

  @ParameterizedTest
  @EnumSource
  void aLoadPutsWhatSinglePutsPut(Kind kind) {
    KeyedCollection<Long, String> loaded = open(kind, "loaded");
    KeyedCollection<Long, String> put = open(kind, "put");
    for (int order = 0; order < 4; order++) {
      List<Long> keys = keys(order, 700 + 500 * order);
      String value = "the value in order " + order + " of ";
      long before = store.<Long, RuntimeException>read(loaded::size);
      LoadOptions options = LoadOptions.defaults().withTransactionEntries(150);
      LoadResult result = loaded.load(entries(keys, value), options);
      for (Long key : keys) {
        store.run(tx -> put.put(tx, key, value + key));
      }
      assertThat(contents(loaded, kind)).isEqualTo(contents(put, kind));
      long after = store.<Long, RuntimeException>read(loaded::size);
      assertThat(result).isEqualTo(new LoadResult(keys.size(), after - before));
      assertThat(after).isEqualTo(keys.size());
    }
    assertThat(loaded.load(Collections.emptyIterator())).isEqualTo(new LoadResult(0, 0));
    Blocks.assertNothingLeaks(store);
    if (kind == Kind.EXPIRING) {
      clock.move(LIFE.toMillis() + 1);
      assertThat(store.<Boolean, RuntimeException>read(loaded::isEmpty)).isTrue();
    }
  }

  @Test
  void eachTransactionNotesWhatIsThere() {
    KeyedCollection<Long, String> map = open(Kind.SORTED, "map");
    PersistentMap<String, Long> notes = store.map("notes", Codec.utf8(), Codec.int64());
    List<LoadResult> told = new ArrayList<>();
    LoadOptions options =
        LoadOptions.defaults()
            .withTransactionEntries(100)
            .withNote(
                (tx, reached) -> {
                  assertThat(map.size(tx)).isEqualTo(reached.added());
                  notes.put(tx, "map", reached.entries());
                })
            .withProgress(
                reached -> {
                  long noted = store.read(tx -> notes.getOrDefault(tx, "map", 0L));
                  assertThat(noted).isEqualTo(reached.entries());
                  told.add(reached);
                });
    LoadResult result = map.load(entries(keys(0, 250), "value"), options);
    assertThat(result).isEqualTo(new LoadResult(250, 250));
    assertThat(told).containsExactly(new LoadResult(100, 100), new LoadResult(200, 200), result);
  }

  /** What another thread commits in between has the transaction repeated, with the same entries. */
  @ParameterizedTest
  @EnumSource(names = {"MAP", "SORTED"})
  void aTransactionThatIsRepeatedPutsTheSameEntries(Kind kind) {
    KeyedCollection<Long, String> map = open(kind, "map");
    PersistentMap<String, Long> notes = store.map("notes", Codec.utf8(), Codec.int64());
    AtomicInteger calls = new AtomicInteger();
    LoadOptions options =
        LoadOptions.defaults()
            .withTransactionEntries(50)
            .withNote(
                (tx, _) -> {
                  long seen = notes.getOrDefault(tx, "other", 0L);
                  if (calls.getAndIncrement() % 2 == 0) {
                    changeByAnotherThread(notes);
                  }
                  notes.put(tx, "mine", seen);
                });
    assertThat(map.load(entries(keys(1, 500), "value "), options))
        .isEqualTo(new LoadResult(500, 500));
    assertThat(calls.get()).isEqualTo(20);
    for (long key = 0; key < 500; key++) {
      long wanted = key;
      assertThat(store.<String, RuntimeException>call(tx -> map.getOrDefault(tx, wanted, "")))
          .isEqualTo("value " + key);
    }
  }

  private void changeByAnotherThread(PersistentMap<String, Long> notes) {
    Thread other =
        Thread.ofPlatform().start(() -> store.run(tx -> notes.merge(tx, "other", 1L, Long::sum)));
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAP", "SORTED"})
  void whatTheIteratorThrowsIsThrownBehindTheEntriesBeforeIt(Kind kind) {
    KeyedCollection<Long, String> map = open(kind, "map");
    Iterator<Map.Entry<Long, String>> some = entries(keys(0, 130), "value");
    Iterator<Map.Entry<Long, String>> failing =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Map.Entry<Long, String> next() {
            return some.next();
          }
        };
    LoadOptions options = LoadOptions.defaults().withTransactionEntries(100);
    assertThatThrownBy(() -> map.load(failing, options)).isInstanceOf(NoSuchElementException.class);
    assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(130);
  }

  /** The iterator may be one of this store, in a transaction of its own. */
  @Test
  void aLoadMayReadTheStore() {
    KeyedCollection<Long, String> from = open(Kind.SORTED, "from");
    KeyedCollection<Long, String> to = open(Kind.MAP, "to");
    from.load(entries(keys(1, 1000), "value "));
    LoadResult result =
        store.read(
            tx -> to.load(((PersistentSortedMap<Long, String>) from).entries(tx).iterator()));
    assertThat(result).isEqualTo(new LoadResult(1000, 1000));
    assertThat(contents(to, Kind.MAP)).isEqualTo(contents(from, Kind.SORTED));
  }

  /** Transactions become as short as one may be. */
  @ParameterizedTest
  @EnumSource(names = {"MAP", "INDEXED", "SORTED", "SORTED_JOURNALED"})
  void longValuesAreDividedAmongTransactions(Kind kind) {
    store.close();
    store = open(WordOptions.defaults().withMaxTransactionBytes(1 << 16));
    KeyedCollection<Long, String> map = open(kind, "map");
    List<Map.Entry<Long, String>> entries = new ArrayList<>();
    for (long key = 0; key < 300; key++) {
      // Enough short ones for a transaction, then some of which each needs most of one.
      entries.add(Map.entry(key, "x".repeat(key % 100 < 70 ? 10 : 20_000)));
    }
    assertThat(map.load(entries.iterator())).isEqualTo(new LoadResult(300, 300));
    for (Map.Entry<Long, String> entry : entries) {
      assertThat(
              store.<String, RuntimeException>call(tx -> map.getOrDefault(tx, entry.getKey(), "")))
          .isEqualTo(entry.getValue());
    }
    Iterator<Map.Entry<Long, String>> large =
        List.of(Map.entry(1000L, "y"), Map.entry(1001L, "x".repeat(100_000))).iterator();
    assertThatThrownBy(() -> map.load(large)).isInstanceOf(TransactionTooLargeException.class);
    assertThat(store.<Boolean, RuntimeException>call(tx -> map.containsKey(tx, 1000L))).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"MAP", "SORTED", "SORTED_INDEXED"})
  void aFullRegionKeepsTheTransactionsBefore(Kind kind) {
    store.close();
    store = open(WordOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 12));
    KeyedCollection<Long, String> map = open(kind, "map");
    List<LoadResult> told = new ArrayList<>();
    LoadOptions options =
        LoadOptions.defaults().withTransactionEntries(100).withProgress(told::add);
    assertThatThrownBy(() -> map.load(entries(keys(0, 100_000), "value "), options))
        .isInstanceOf(RegionFullException.class);
    long there = told.getLast().entries();
    assertThat(there).isPositive();
    assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(there);
    Blocks.assertNothingLeaks(store);
    store.run(tx -> map.remove(tx, 0L));
  }

  @Test
  void numbersOfEntriesHaveBounds() {
    for (int entries : new int[] {0, -1, LoadOptions.MAX_TRANSACTION_ENTRIES + 1}) {
      assertThatThrownBy(() -> LoadOptions.defaults().withTransactionEntries(entries))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not " + entries);
    }
  }

  @ParameterizedTest
  @EnumSource
  void putAllSaysHowManyKeysAreNew(Kind kind) {
    KeyedCollection<Long, String> map = open(kind, "map");
    List<Map.Entry<Long, String>> entries = new ArrayList<>();
    entries(keys(1, 100), "a").forEachRemaining(entries::add);
    entries(keys(0, 130), "b").forEachRemaining(entries::add);
    assertThat(store.<Long, RuntimeException>call(tx -> map.putAll(tx, entries))).isEqualTo(130);
    assertThat(store.<Long, RuntimeException>call(tx -> map.putAll(tx, Map.of(1L, "", 200L, ""))))
        .isEqualTo(1);
    assertThat(store.<String, RuntimeException>call(tx -> map.getOrDefault(tx, 99L, "")))
        .isEqualTo("b99");
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.changes.Change;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of map, with every shape of key and of value and every set of options, held to a plain
 * model: entries, both kinds of index, times of expiry, and the journal, change by change.
 * Transactions replace, remove, roll back to savepoints, take alternatives and abort; the memory is
 * opened again between them.
 */
final class MapOptionsMatrixTest {

  private static final int KEYS = 24;
  private static final int TRANSACTIONS = 12;
  private static final int REOPENED_EACH = 6;
  private static final int KEPT = 4_000;
  private static final long DEFAULT_MILLIS = 50;
  private static final String NAME = "map";

  /** Keys of one shape: those of the numbers are different, and in the order of the numbers. */
  record KeyShape<K extends Comparable<K>>(String name, OrderedCodec<K> codec, IntFunction<K> key) {

    @Override
    public String toString() {
      return name;
    }
  }

  /** Values of one shape, which tell the number that they were made of. */
  record ValueShape<V>(String name, Codec<V> codec, IntFunction<V> value, ToIntFunction<V> number) {

    @Override
    public String toString() {
      return name;
    }
  }

  /** Text in a fixed number of bytes, by code that collections take for the program's. */
  private record Padded(int fixedLength) implements OrderedCodec<String> {

    @Override
    public String name() {
      return "padded " + fixedLength;
    }

    @Override
    public void encode(String value, Encoder out) {
      for (int i = 0; i < fixedLength; i++) {
        out.putByte((byte) (i < value.length() ? value.charAt(i) : ' '));
      }
    }

    @Override
    public String decode(Decoder in) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < fixedLength; i++) {
        text.append((char) in.getByte());
      }
      return text.toString();
    }

    static ValueShape<String> values(int length) {
      return new ValueShape<>(
          "fixed " + length,
          new Padded(length),
          n -> padded(n, length),
          text -> Integer.parseInt(text.substring(0, 3).strip()));
    }

    static String padded(int n, int length) {
      StringBuilder text = new StringBuilder(Integer.toString(n));
      while (text.length() < length) {
        text.append(text.length() < 4 ? ' ' : (char) ('a' + (n + text.length()) % 26));
      }
      return text.toString();
    }
  }

  private static ValueShape<String> texts(String name, int from, int step) {
    return new ValueShape<>(
        name,
        Codec.utf8(),
        n -> n + ":" + "x".repeat(from + n * 37 % 11 * step),
        text -> Integer.parseInt(text.substring(0, text.indexOf(':'))));
  }

  private static final List<KeyShape<?>> KEY_SHAPES =
      List.of(
          new KeyShape<>("8 bytes", Codec.int64(), n -> (n - 7) * 1_000_003L),
          new KeyShape<>("2 bytes", Codec.int16(), n -> (short) (n - 7)),
          new KeyShape<>("16 bytes", Codecs.uuid(), n -> new UUID(n / 2, n)),
          new KeyShape<>(
              "11 bytes", new Padded(11), n -> Padded.padded(n + 100, 3) + "\t".repeat(8)),
          new KeyShape<>("variable", Codec.utf8(), n -> "k".repeat(n + 1)));

  private static final List<ValueShape<?>> VALUE_SHAPES =
      List.of(
          new ValueShape<>("8 bytes", Codec.int64(), n -> (long) n, Long::intValue),
          new ValueShape<>(
              "2 bytes", Codec.int16(), n -> (short) n, (Short value) -> value.intValue()),
          new ValueShape<>(
              "16 bytes",
              Codecs.uuid(),
              n -> new UUID(~n, n),
              v -> (int) v.getLeastSignificantBits()),
          Padded.values(7),
          Padded.values(701),
          texts("variable", 0, 5),
          texts("long", 300, 2_111));

  /** Whether and by what the entries of a map expire. */
  private enum Lives {
    FOREVER,
    AFTER,
    PER_ENTRY
  }

  private record Options(boolean isSorted, boolean hasJournal, boolean hasIndexes, Lives lives) {

    static List<Options> all(boolean isSorted) {
      List<Options> all = new ArrayList<>();
      for (boolean hasJournal : new boolean[] {false, true}) {
        for (boolean hasIndexes : new boolean[] {false, true}) {
          for (Lives lives : isSorted ? new Lives[] {Lives.FOREVER} : Lives.values()) {
            all.add(new Options(isSorted, hasJournal, hasIndexes, lives));
          }
        }
      }
      return all;
    }

    boolean expires() {
      return lives != Lives.FOREVER;
    }
  }

  static Stream<Arguments> combinations() {
    return Stream.of(false, true)
        .flatMap(
            isSorted ->
                KEY_SHAPES.stream()
                    .flatMap(
                        keys ->
                            VALUE_SHAPES.stream()
                                .map(values -> Arguments.of(isSorted, keys, values))));
  }

  @ParameterizedTest(name = "sorted {0}, keys {1}, values {2}")
  @MethodSource("combinations")
  void aMapTellsWhatWasPut(boolean isSorted, KeyShape<?> keys, ValueShape<?> values) {
    for (Options options : Options.all(isSorted)) {
      new Run<>(options, keys, values, 1).run();
    }
  }

  @ParameterizedTest(name = "sorted {0}, keys {1}, values {2}")
  @MethodSource("combinations")
  @Tag("campaign")
  void aMapTellsWhatWasPutInManyHistories(
      boolean isSorted, KeyShape<?> keys, ValueShape<?> values) {
    for (int seed = 2; seed < 22; seed++) {
      for (Options options : Options.all(isSorted)) {
        new Run<>(options, keys, values, seed).run();
      }
    }
  }

  /** What the map should hold, by the numbers of keys and values, and what its journal tells. */
  private static final class Model {

    /** An entry that is stored, expired or not. */
    private record Entry(int value, long expiresAt) {}

    private final TreeMap<Integer, Entry> entries = new TreeMap<>();

    /** Groups of changes; the order of those in a group is the map's affair. */
    private final List<List<String>> told = new ArrayList<>();

    Model copy() {
      Model copy = new Model();
      copy.set(this);
      return copy;
    }

    void set(Model other) {
      entries.clear();
      entries.putAll(other.entries);
      told.clear();
      told.addAll(other.told);
    }

    @Nullable Entry live(int key, long now) {
      Entry entry = entries.get(key);
      return entry == null || entry.expiresAt <= now ? null : entry;
    }

    void told(String change) {
      told.add(List.of(change));
    }

    /** Removes an entry that is stored, and tells it. */
    String removed(int key, long now) {
      Entry entry = Objects.requireNonNull(entries.remove(key));
      return (entry.expiresAt <= now ? "expired " : "removed ") + key;
    }
  }

  /** One map with its history. */
  private static final class Run<K extends Comparable<K>, V> {

    private final Options options;
    private final KeyShape<K> keys;
    private final ValueShape<V> values;
    private final SplittableRandom seeds;
    private final SettableClock clock = new SettableClock();
    private final Index<V, Integer> group;
    private final Index<V, Integer> unique;
    private Model model = new Model();
    private long position;

    Run(Options options, KeyShape<K> keys, ValueShape<V> values, long seed) {
      this.options = options;
      this.keys = keys;
      this.values = values;
      this.seeds = new SplittableRandom(seed);
      group = Index.of("group", value -> group(values.number().applyAsInt(value)), Codec.int32());
      unique = Index.unique("unique", value -> values.number().applyAsInt(value), Codec.int32());
    }

    /** Returns what the index has a value by: null for some. */
    private static @Nullable Integer group(int value) {
      return value % 7 == 0 ? null : value % 5;
    }

    private K key(int number) {
      return keys.key().apply(number);
    }

    private V value(int number) {
      return values.value().apply(number);
    }

    private KeyedCollection<K, V> open(WordStore store) {
      List<MapOption<V>> chosen = new ArrayList<>();
      if (options.hasIndexes()) {
        chosen.add(group);
        chosen.add(unique);
      }
      if (options.isSorted()) {
        return store.sortedMap(NAME, keys.codec(), values.codec(), sortedOptions(chosen));
      }
      List<MapOption<? super V>> all = new ArrayList<>(chosen);
      if (options.hasJournal()) {
        all.add(ChangeJournal.keeping(KEPT));
      }
      switch (options.lives()) {
        case FOREVER -> {}
        case AFTER -> all.add(Expiry.after(Duration.ofMillis(DEFAULT_MILLIS)));
        case PER_ENTRY -> all.add(Expiry.perEntry());
      }
      return store.map(NAME, keys.codec(), values.codec(), mapOptions(all));
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    private MapOption<? super V>[] sortedOptions(List<MapOption<V>> chosen) {
      List<MapOption<? super V>> all = new ArrayList<>(chosen);
      if (options.hasJournal()) {
        all.add(ChangeJournal.keeping(KEPT));
      }
      return all.toArray(new MapOption[0]);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    private MapOption<? super V>[] mapOptions(List<MapOption<? super V>> all) {
      return all.toArray(new MapOption[0]);
    }

    private PersistentMap<K, V> hash(KeyedCollection<K, V> map) {
      return (PersistentMap<K, V>) map;
    }

    private WordStore store(WordMemory memory) {
      return WordStore.open(
          memory,
          WordOptions.defaults()
              .withMaxSize(1 << 23)
              .withOrecs(1 << 10)
              .withPartitions(1)
              .withExecution(new NoReclaiming())
              .withClock(clock));
    }

    void run() {
      try (WordMemory memory = new WordMemory()) {
        for (int n = 0; n < TRANSACTIONS; n += REOPENED_EACH) {
          try (WordStore store = store(memory)) {
            KeyedCollection<K, V> map = open(store);
            check(store, map, "opened before " + n);
            for (int i = n; i < n + REOPENED_EACH; i++) {
              transaction(store, map, seeds.split());
              check(store, map, "transaction " + i);
              if (options.expires()) { // what has expired is stored until it is reclaimed
                clock.move(12);
                check(store, map, "later than " + i);
                if (i % 5 == 4) {
                  reclaim(map);
                  check(store, map, "reclaimed after " + i);
                }
              }
            }
            Blocks.assertNothingLeaks(store);
          }
        }
        try (WordStore store = store(memory)) {
          assertThat(store.drop(NAME)).isTrue();
          assertThat(store.read(store::collections)).isEmpty();
          Blocks.assertNothingLeaks(store);
        }
      }
    }

    private void reclaim(KeyedCollection<K, V> map) {
      long now = clock.millis();
      List<Integer> past =
          model.entries.keySet().stream()
              .filter(key -> Objects.requireNonNull(model.entries.get(key)).expiresAt() <= now)
              .toList();
      model.told.add(past.stream().map(key -> model.removed(key, now)).toList());
      assertThat(hash(map).expiry().reclaim()).isEqualTo(past.size());
    }

    private void transaction(WordStore store, KeyedCollection<K, V> map, SplittableRandom seed) {
      Model[] after = new Model[1];
      try {
        store.run(
            tx -> {
              SplittableRandom random = seed.split();
              Model next = model.copy();
              after[0] = null;
              steps(map, tx, next, random);
              Savepoint savepoint = tx.savepoint();
              Model saved = next.copy();
              tx.run(inner -> steps(map, inner, next, random));
              if (random.nextInt(3) == 0) {
                tx.rollBack(savepoint);
                next.set(saved);
                steps(map, tx, next, random);
              }
              if (random.nextInt(3) == 0) {
                Model before = next.copy();
                tx.<Integer, RuntimeException>orElse(
                    inner -> {
                      steps(map, inner, next, random);
                      throw inner.retry();
                    },
                    inner -> {
                      next.set(before);
                      steps(map, inner, next, random);
                      return 0;
                    });
              }
              if (random.nextInt(6) == 0) {
                throw tx.abort();
              }
              after[0] = next;
            });
        model = Objects.requireNonNull(after[0], "the map did not refuse what the model refuses");
      } catch (TransactionAbortedException | Refused e) {
        assertThat(after[0]).isNull();
      }
    }

    /** The model and the map have refused a put; nothing of the transaction happened. */
    private static final class Refused extends RuntimeException {
      private static final long serialVersionUID = 1L;
    }

    private void steps(KeyedCollection<K, V> map, Tx tx, Model next, SplittableRandom random) {
      long now = clock.millis();
      for (int i = random.nextInt(7); i > 0; i--) {
        int key = random.nextInt(KEYS);
        int value = random.nextInt(15) == 0 ? random.nextInt(999) : 40 * key + random.nextInt(40);
        switch (random.nextInt(10)) {
          case 0, 1 -> {
            boolean isLive = next.live(key, now) != null;
            if (next.entries.containsKey(key)) {
              next.told(next.removed(key, now));
            }
            assertThat(map.remove(tx, key(key))).isEqualTo(isLive);
          }
          case 2 -> {
            Model.Entry old =
                putIfNone(
                    next,
                    tx,
                    key,
                    value,
                    () -> {
                      V none = map.putIfAbsent(tx, key(key), value(value));
                      assertThat(none).isNull();
                    });
            if (old != null) {
              assertThat(map.putIfAbsent(tx, key(key), value(value))).isEqualTo(value(old.value()));
            }
          }
          case 3 -> {
            Model.Entry old =
                putIfNone(
                    next,
                    tx,
                    key,
                    value,
                    () -> {
                      V _ = map.compute(tx, key(key), (_, _) -> value(value));
                    });
            if (old != null) {
              next.told(next.removed(key, now));
              assertThat(map.compute(tx, key(key), (_, _) -> null)).isNull();
            }
          }
          case 4 -> {
            if (random.nextInt(6) == 0) {
              List<Integer> all = List.copyOf(next.entries.keySet());
              next.told.add(all.stream().map(k -> next.removed(k, now)).toList());
              map.clear(tx);
            }
          }
          case 5 -> {
            if (options.expires()) {
              boolean isLive = next.live(key, now) != null;
              long at = now + 1 + random.nextInt(100);
              if (isLive) {
                next.entries.computeIfPresent(
                    key, (_, entry) -> new Model.Entry(entry.value(), at));
              }
              Duration duration = Duration.ofMillis(at - now);
              assertThat(hash(map).expiry().touch(tx, key(key), duration)).isEqualTo(isLive);
            }
          }
          case 6 -> {
            Model.Entry old = next.live(key, now); // the same value again
            if (old != null) {
              put(
                  next,
                  tx,
                  key,
                  old.value(),
                  byDefault(now),
                  () -> map.put(tx, key(key), value(old.value())));
            }
          }
          case 7 -> {
            if (options.expires()) {
              long at = now + 1 + random.nextInt(60);
              put(
                  next,
                  tx,
                  key,
                  value,
                  at,
                  () ->
                      hash(map)
                          .expiry()
                          .put(tx, key(key), value(value), Duration.ofMillis(at - now)));
            }
          }
          default ->
              put(next, tx, key, value, byDefault(now), () -> map.put(tx, key(key), value(value)));
        }
        Model.Entry entry = next.live(key, now);
        assertThat(map.get(tx, key(key))).isEqualTo(entry == null ? null : value(entry.value()));
      }
    }

    private long byDefault(long now) {
      return options.lives() == Lives.AFTER ? now + DEFAULT_MILLIS : Long.MAX_VALUE;
    }

    /** Puts if the key has no value; returns the entry that it has, or null. */
    private Model.@Nullable Entry putIfNone(Model next, Tx tx, int key, int value, Runnable put) {
      long now = clock.millis();
      Model.Entry old = next.live(key, now);
      if (old == null) {
        put(next, tx, key, value, byDefault(now), put);
      }
      return old;
    }

    /** Puts into the model and the map; a unique index refuses a value that another key has. */
    private void put(Model next, Tx tx, int key, int value, long expiresAt, Runnable put) {
      long now = clock.millis();
      if (options.hasIndexes()) {
        for (int other : List.copyOf(next.entries.keySet())) {
          if (other != key && Objects.requireNonNull(next.entries.get(other)).value() == value) {
            if (next.live(other, now) != null) {
              try {
                put.run();
              } catch (UniqueIndexException e) {
                assertThat(e.index()).isEqualTo(unique.name());
                throw new Refused();
              }
              throw new AssertionError("the index has two entries of " + value + " in " + tx);
            }
            next.told(next.removed(other, now));
          }
        }
      }
      next.entries.put(key, new Model.Entry(value, expiresAt));
      next.told("put " + key + " = " + value(value));
      put.run();
    }

    private void check(WordStore store, KeyedCollection<K, V> map, String when) {
      String what = options + " " + keys + " to " + values + ", " + when;
      long now = clock.millis();
      store.read(
          tx -> {
            List<Map.Entry<K, V>> expected = new ArrayList<>();
            List<@Nullable Object> wanted = new ArrayList<>();
            List<@Nullable Object> got = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
              Model.Entry entry = model.live(i, now);
              V value = entry == null ? null : value(entry.value());
              if (entry != null && value != null) {
                expected.add(Map.entry(key(i), value));
              }
              wanted.add(value);
              got.add(map.get(tx, key(i)));
              wanted.add(value != null);
              got.add(map.containsKey(tx, key(i)));
              if (options.expires()) {
                wanted.add(entry == null ? null : instant(entry.expiresAt()));
                got.add(hash(map).expiry().expiresAt(tx, key(i)));
              }
            }
            assertThat(got).as(what).isEqualTo(wanted);
            assertThat(map.size(tx)).as(what).isEqualTo(expected.size());
            if (map instanceof PersistentSortedMap<K, V> sorted) {
              assertThat(sorted.entries(tx)).as(what).containsExactlyElementsOf(expected);
            } else {
              assertThat(hash(map).entries(tx))
                  .as(what)
                  .containsExactlyInAnyOrderElementsOf(expected);
            }
            if (options.expires()) {
              assertThat(hash(map).expiry().storedEntries(tx)).isEqualTo(model.entries.size());
            }
            if (options.hasIndexes()) {
              assertThat(map.index(group).entries(tx))
                  .as("group, %s", what)
                  .containsExactlyElementsOf(indexed(now, MapOptionsMatrixTest.Run::group));
              assertThat(map.index(unique).entries(tx))
                  .as("unique, %s", what)
                  .containsExactlyElementsOf(indexed(now, value -> value));
            }
            if (options.hasJournal()) {
              checkJournal(map, tx, what);
            }
            return 0;
          });
    }

    private static Instant instant(long expiresAt) {
      return expiresAt == Long.MAX_VALUE ? Instant.MAX : Instant.ofEpochMilli(expiresAt);
    }

    /** Returns the live entries in the order of an index. */
    private List<Map.Entry<K, V>> indexed(long now, IntFunction<@Nullable Integer> function) {
      record Row(int by, int key, int value) {}
      List<Row> rows = new ArrayList<>();
      model.entries.forEach(
          (key, entry) -> {
            Integer by = function.apply(entry.value());
            if (by != null && entry.expiresAt() > now) {
              rows.add(new Row(by, key, entry.value()));
            }
          });
      rows.sort(Comparator.comparingInt(Row::by).thenComparingInt(Row::key));
      return rows.stream().map(row -> Map.entry(key(row.key()), value(row.value()))).toList();
    }

    /** Reads what is new in the journal, and compares it with what the model has told. */
    private void checkJournal(KeyedCollection<K, V> map, Tx tx, String what) {
      List<String> found = new ArrayList<>();
      for (Change<K, V> change : map.changes().after(tx, position, KEPT)) {
        assertThat(change.position()).as(what).isEqualTo(++position);
        found.add(text(change));
      }
      int from = 0;
      for (List<String> group : model.told) {
        assertThat(found.size())
            .as("%s: told %s of %s", what, found, model.told)
            .isGreaterThanOrEqualTo(from + group.size());
        List<String> next = new ArrayList<>(found.subList(from, from + group.size()));
        List<String> wanted = new ArrayList<>(group);
        next.sort(Comparator.naturalOrder());
        wanted.sort(Comparator.naturalOrder());
        assertThat(next).as(what).isEqualTo(wanted);
        from += group.size();
      }
      assertThat(found).as(what).hasSize(from);
      assertThat(map.changes().newest(tx)).as(what).isEqualTo(position);
      model.told.clear();
    }

    private String text(Change<K, V> change) {
      int key = 0;
      while (!key(key).equals(change.key())) {
        key++;
      }
      return switch (change) {
        case Change.Put<K, V> put -> "put " + key + " = " + put.value();
        case Change.Removed<K, V> _ -> "removed " + key;
        case Change.Expired<K, V> _ -> "expired " + key;
        case Change.Evicted<K, V> _ -> "evicted " + key;
      };
    }
  }
}

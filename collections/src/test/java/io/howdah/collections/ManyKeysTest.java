package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.changes.Change;
import io.howdah.core.TransactionStateException;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations on many keys do what single operations on one key after the other do. */
@Tag("scaled")
final class ManyKeysTest {

  /** Enough for keys to be loaded in advance. In descending order, sorted maps become higher. */
  private static final int FILLED = 12_000;

  private static final int TRANSACTIONS = 30 / Integer.getInteger("howdah.stride", 2);
  private static final int[] COUNTS = {0, 1, 2, 7, 16, 17, 40};
  private static final int KEPT = 2000;
  private static final Duration TTL = Duration.ofMillis(50);
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());
  private static final Index<String, String> UNIQUE =
      Index.unique("unique", text -> text.startsWith("u") ? text : null, Codec.utf8());

  private final SettableClock clock = new SettableClock();
  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults()
              .withMaxSize(1 << 26)
              .withOrecs(1 << 14)
              .withPartitions(2)
              .withExecution(new NoReclaiming())
              .withClock(clock));

  enum Kind {
    MAP,
    INDEXED,
    EXPIRING,
    JOURNALED,
    SORTED,
    SORTED_INDEXED,
    SORTED_JOURNALED
  }

  @AfterEach
  void close() {
    store.close();
  }

  private KeyedCollection<String, String> open(Kind kind, String name) {
    Codec<String> text = Codec.utf8();
    ChangeJournal journal = ChangeJournal.keeping(KEPT);
    return switch (kind) {
      case MAP -> store.map(name, text, text);
      case INDEXED -> store.map(name, text, text, BY_LENGTH, UNIQUE);
      case EXPIRING -> store.map(name, text, text, Expiry.after(TTL), BY_LENGTH, UNIQUE);
      case JOURNALED -> store.map(name, text, text, journal);
      case SORTED -> store.sortedMap(name, Codec.utf8(), text);
      case SORTED_INDEXED -> store.sortedMap(name, Codec.utf8(), text, BY_LENGTH, UNIQUE);
      case SORTED_JOURNALED -> store.sortedMap(name, Codec.utf8(), text, journal);
    };
  }

  /** Many keys have the same first bytes, and some are those bytes. */
  private static String key(int number) {
    return switch (number % 3) {
      case 0 -> Integer.toString(number);
      case 1 -> "the key with number " + number;
      default -> "the ".substring(0, number % 5) + number;
    };
  }

  private static final class Loop {

    static void putAll(KeyedCollection<String, String> map, Tx tx, Map<String, String> entries) {
      entries.forEach((key, value) -> map.put(tx, key, value));
    }

    static Map<String, String> getAll(
        KeyedCollection<String, String> map, Tx tx, List<String> keys) {
      Map<String, String> found = new LinkedHashMap<>();
      for (String key : keys) {
        String value = map.get(tx, key);
        if (value != null) {
          found.put(key, value);
        }
      }
      return found;
    }

    static long removeAll(KeyedCollection<String, String> map, Tx tx, List<String> keys) {
      long removed = 0;
      for (String key : keys) {
        removed += map.remove(tx, key) ? 1 : 0;
      }
      return removed;
    }
  }

  /** Each kind of map, of index and of journal once; campaigns take all kinds. */
  @ParameterizedTest
  @EnumSource(names = {"MAP", "EXPIRING", "SORTED_INDEXED", "SORTED_JOURNALED"})
  void manyAtOnceAreLikeOneAfterTheOther(Kind kind) {
    manyAreLikeOne(kind);
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void manyAtOnceAreLikeOneAfterTheOtherInEveryKindOfMap(Kind kind) {
    manyAreLikeOne(kind);
  }

  private void manyAreLikeOne(Kind kind) {
    KeyedCollection<String, String> many = open(kind, "many");
    KeyedCollection<String, String> loop = open(kind, "loop");
    fill(many);
    fill(loop);
    SplittableRandom random = new SplittableRandom(kind.name().hashCode());
    for (int n = 0; n < TRANSACTIONS; n++) {
      long seed = random.nextLong();
      assertThat(told(many, seed, true)).isEqualTo(told(loop, seed, false));
      clock.move(random.nextInt(8));
    }
    assertThat(contents(many, kind)).isEqualTo(contents(loop, kind)).isNotEmpty();
    Blocks.assertNothingLeaks(store);
  }

  private void fill(KeyedCollection<String, String> map) {
    for (int at = FILLED; at > 0; at -= 100) {
      int from = at;
      store.run(
          tx -> {
            for (int i = from; i > from - 100; i--) {
              map.put(tx, key(i), "filled");
            }
          });
    }
  }

  /** Runs a transaction, and returns what the program sees of it. */
  private List<Object> told(KeyedCollection<String, String> map, long seed, boolean isMany) {
    List<Object> told = new ArrayList<>();
    try {
      store.run(
          tx -> {
            told.clear();
            SplittableRandom random = new SplittableRandom(seed);
            steps(map, tx, random, isMany, told);
            Savepoint savepoint = tx.savepoint();
            tx.run(inner -> steps(map, inner, random, isMany, told));
            if (random.nextInt(3) == 0) {
              tx.rollBack(savepoint);
              steps(map, tx, random, isMany, told);
            }
            if (random.nextInt(6) == 0) {
              throw tx.abort();
            }
          });
    } catch (UniqueIndexException | TransactionAbortedException e) {
      told.add(e.getClass());
    }
    return told;
  }

  private static void steps(
      KeyedCollection<String, String> map,
      Tx tx,
      SplittableRandom random,
      boolean isMany,
      List<Object> told) {
    for (int step = 0; step < 4; step++) {
      List<String> keys = new ArrayList<>();
      for (int i = COUNTS[random.nextInt(COUNTS.length)]; i > 0; i--) {
        keys.add(key(random.nextInt(FILLED + FILLED / 4)));
      }
      switch (random.nextInt(5)) {
        case 0 -> told.add(isMany ? map.removeAll(tx, keys) : Loop.removeAll(map, tx, keys));
        case 1 -> told.add(isMany ? map.getAll(tx, keys) : Loop.getAll(map, tx, keys));
        default -> {
          Map<String, String> entries = new LinkedHashMap<>();
          for (String key : keys) {
            boolean isUnique = random.nextInt(20) == 0;
            entries.put(key, isUnique ? "u" + random.nextInt(500) : "v".repeat(random.nextInt(40)));
          }
          if (isMany) {
            map.putAll(tx, entries);
          } else {
            Loop.putAll(map, tx, entries);
          }
        }
      }
    }
  }

  /** Returns all entries, what the indexes hold, and the changes. */
  private List<Object> contents(KeyedCollection<String, String> map, Kind kind) {
    return store.read(
        tx -> {
          List<Object> all = new ArrayList<>();
          Map<String, String> entries = new TreeMap<>();
          if (map instanceof PersistentMap<String, String> hash) {
            hash.forEach(tx, entries::put);
          } else if (map instanceof PersistentSortedMap<String, String> sorted) {
            sorted.entries(tx).forEach(e -> entries.put(e.getKey(), e.getValue()));
          }
          all.add(entries);
          all.add(map.size(tx));
          if (kind == Kind.INDEXED || kind == Kind.EXPIRING || kind == Kind.SORTED_INDEXED) {
            all.add(map.index(BY_LENGTH).entries(tx).toList());
            all.add(map.index(UNIQUE).entries(tx).toList());
          }
          if (kind == Kind.JOURNALED || kind == Kind.SORTED_JOURNALED) {
            long newest = map.changes().newest(tx);
            List<Change<String, String>> changes = map.changes().after(tx, newest - KEPT, KEPT);
            assertThat(changes).hasSize(KEPT);
            all.add(changes);
          }
          return all;
        });
  }

  // ---- What ends a call early.

  private static Map<String, String> failingAfter(int entries) {
    return throwingAfter(
        entries,
        () -> {
          throw new IllegalStateException("the map of the program");
        });
  }

  /** Returns a map that shows some entries, and then throws. */
  private static Map<String, String> throwingAfter(int entries, Runnable end) {
    return new AbstractMap<>() {
      @Override
      public Set<Entry<String, String>> entrySet() {
        return new AbstractSet<>() {
          @Override
          public Iterator<Entry<String, String>> iterator() {
            return new Iterator<>() {
              private int shown;

              @Override
              public boolean hasNext() {
                return true;
              }

              @Override
              public Entry<String, String> next() {
                if (shown == entries) {
                  end.run();
                }
                shown++;
                return Map.entry("new " + shown, "value");
              }
            };
          }

          @Override
          public int size() {
            return Integer.MAX_VALUE;
          }
        };
      }
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"MAP", "SORTED"})
  void entriesBeforeAnExceptionOfTheProgramsMapArePut(Kind kind) {
    KeyedCollection<String, String> map = open(kind, "map");
    fill(map);
    for (int entries : COUNTS) {
      store.run(
          tx -> {
            long before = map.size(tx);
            Savepoint savepoint = tx.savepoint();
            assertThatThrownBy(() -> map.putAll(tx, failingAfter(entries)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the map of the program");
            assertThat(map.size(tx)).isEqualTo(before + entries);
            tx.rollBack(savepoint);
          });
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAP", "SORTED"})
  void whatHasEndedTheTransactionInTheProgramsMapIsThrownAsItIs(Kind kind) {
    KeyedCollection<String, String> map = open(kind, "map");
    fill(map);
    assertThatThrownBy(
            () ->
                store.run(
                    tx ->
                        map.putAll(
                            tx,
                            throwingAfter(
                                2,
                                () -> {
                                  throw tx.abort();
                                }))))
        .isInstanceOf(TransactionAbortedException.class);
    PersistentMap<String, Long> source = store.map("source", Codec.utf8(), Codec.int64());
    store.run(tx -> source.putAll(tx, Map.of("a", 1L, "b", 1L)));
    WordSession session = store.session();
    Tx tx = session.begin();
    assertThat(source.get(tx, "a")).isEqualTo(1);
    Runnable conflict =
        () -> {
          Thread other =
              Thread.ofPlatform()
                  .start(() -> store.run(t -> source.putAll(t, Map.of("a", 2L, "b", 2L))));
          join(other);
          source.get(tx, "b"); // of a later snapshot than "a"
        };
    assertThatThrownBy(() -> map.putAll(tx, throwingAfter(2, conflict)))
        .isInstanceOf(ConflictException.class);
    session.abort();
    assertThatThrownBy(() -> map.getAll(tx, List.of()))
        .isInstanceOf(TransactionStateException.class);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Counts its calls, and cannot encode one key. */
  private static final class Choosy implements OrderedCodec<String> {
    private final List<String> encoded = new ArrayList<>();

    @Override
    public String name() {
      return "choosy";
    }

    @Override
    public void encode(String value, Encoder out) {
      encoded.add(value);
      if (value.startsWith("bad")) {
        throw new CodecException("this key is bad: " + value);
      }
      out.putUtf8(value);
    }

    @Override
    public String decode(Decoder in) {
      return in.getUtf8(in.remaining());
    }
  }

  @Test
  void aKeyThatCannotBeEncodedEndsTheTransactionAtItsTurn() {
    Choosy codec = new Choosy();
    List<KeyedCollection<String, String>> maps =
        List.of(
            store.map("map", codec, Codec.utf8(), UNIQUE),
            store.sortedMap("sorted map", codec, Codec.utf8(), UNIQUE));
    for (KeyedCollection<String, String> map : maps) {
      fill(map);
      Map<String, String> entries = new LinkedHashMap<>();
      entries.put("a", "u");
      entries.put("b", "v");
      entries.put("bad key", "v");
      entries.put("bad, too", "v");
      assertThatThrownBy(() -> store.run(tx -> map.putAll(tx, entries)))
          .isInstanceOf(CodecException.class)
          .hasMessage("this key is bad: bad key");
      assertThat(store.<Boolean, RuntimeException>read(tx -> map.containsKey(tx, "a"))).isFalse();
      store.run(tx -> map.put(tx, "c", "u"));
      assertThatThrownBy(() -> store.run(tx -> map.putAll(tx, entries)))
          .isInstanceOf(UniqueIndexException.class); // comes before the bad key
      List<@Nullable String> withNull = new ArrayList<>(List.of("a", "b"));
      withNull.add(null);
      assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, withNull)))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining(map.toString());
    }
  }

  @Test
  void largeKeysAndManyKeysNeedNoMoreMemory() {
    PersistentMap<String, String> map = store.map("map", Codec.utf8(), Codec.utf8());
    fill(map);
    Map<String, String> large = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      large.put("k".repeat(60_000) + i, "value");
    }
    store.run(tx -> map.putAll(tx, large));
    Map<String, String> found = store.read(tx -> map.getAll(tx, large.keySet()));
    assertThat(found).isEqualTo(large);
    large.put("k".repeat(100_000), "");
    assertThatThrownBy(() -> store.run(tx -> map.putAll(tx, large)))
        .isInstanceOf(EntryTooLargeException.class);
    assertThat(store.<Long, RuntimeException>call(tx -> map.removeAll(tx, List.of()))).isZero();
  }
}

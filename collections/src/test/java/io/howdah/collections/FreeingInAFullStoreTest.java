package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangesLostException;
import io.howdah.core.RegionFullException;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation that frees memory succeeds in a store without a free block of any length: for
 * each kind of collection, with each combination of indexes, change journals and expiry.
 */
final class FreeingInAFullStoreTest {

  private static final Duration LIFE = Duration.ofMinutes(1);
  private static final int READ_AT_ONCE = 100;

  /** For the sake of the time that it takes to fill the rest. */
  private static final long TAKEN_BYTES = 3 << 18;

  /** Fewer changes than there are entries, which take less room than the removed entries leave. */
  private static final long LONG_JOURNAL = 500;

  private static final Index<String, String> FIRST =
      Index.of("first", (String value) -> value.substring(0, 1), Codec.utf8());
  private static final Index<String, String> WHOLE =
      Index.unique("whole", (String value) -> value, Codec.utf8());

  private final SettableClock clock = new SettableClock();

  /**
   * What a map is opened with.
   *
   * @param kept how many changes its journal keeps; 0 for none
   */
  record Options(boolean isSorted, Keys keys, boolean isIndexed, long kept, boolean expires) {}

  enum Keys {
    LONGS,
    STRINGS,

    /** A journal's change of such a key takes a longer block than the entry has freed. */
    LONG_STRINGS
  }

  static List<Options> options() {
    List<Options> all = new ArrayList<>();
    for (boolean isSorted : new boolean[] {false, true}) {
      for (Keys keys : Keys.values()) {
        for (boolean isIndexed : new boolean[] {false, true}) {
          for (long kept : new long[] {0, 5, LONG_JOURNAL, ChangeJournal.MAX_CHANGES}) {
            all.add(new Options(isSorted, keys, isIndexed, kept, false));
            if (!isSorted) {
              all.add(new Options(false, keys, isIndexed, kept, true));
            }
          }
        }
      }
    }
    return all;
  }

  /** Opens a store of the least size, three quarters of which are taken. */
  private WordStore open() {
    WordStore store =
        WordStore.inMemory(
            WordOptions.defaults()
                .withMaxSize(1 << 20)
                .withOrecs(1 << 12)
                .withPartitions(2)
                .withExecution(new NoReclaiming())
                .withClock(clock));
    store.run(tx -> tx.allocate(TAKEN_BYTES));
    return store;
  }

  private static KeyedCollection<Object, String> map(WordStore store, Options options) {
    @SuppressWarnings("unchecked")
    OrderedCodec<Object> keys =
        (OrderedCodec<Object>)
            (OrderedCodec<?>) (options.keys == Keys.LONGS ? Codec.int64() : Codec.utf8());
    List<MapOption<? super String>> all = new ArrayList<>();
    if (options.isIndexed) {
      all.add(FIRST);
      all.add(WHOLE);
    }
    if (options.kept > 0) {
      all.add(ChangeJournal.keeping(options.kept));
    }
    if (options.isSorted) {
      return store.sortedMap("map", keys, Codec.utf8(), sortedOptions(all));
    }
    List<MapOption<? super String>> unsorted = new ArrayList<>(all);
    if (options.expires) {
      unsorted.add(Expiry.after(LIFE));
    }
    return store.map("map", keys, Codec.utf8(), unsortedOptions(unsorted));
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // arrays have no type arguments
  private static MapOption<? super String>[] sortedOptions(
      List<MapOption<? super String>> options) {
    return (MapOption<? super String>[]) options.toArray(new MapOption<?>[0]);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // likewise
  private static MapOption<? super String>[] unsortedOptions(
      List<MapOption<? super String>> options) {
    return (MapOption<? super String>[]) options.toArray(new MapOption<?>[0]);
  }

  private static Object key(Options options, long number) {
    return switch (options.keys) {
      case LONGS -> number;
      case STRINGS -> "k" + number;
      case LONG_STRINGS -> "a key of 58 bytes, so that its entry fills 64, with its value" + number;
    };
  }

  /** Adds entries until the region has no room for another; returns how many there are. */
  private static long fill(WordStore store, Options options, KeyedCollection<Object, String> map) {
    long count = 0;
    while (true) {
      long number = count;
      try {
        store.run(tx -> map.put(tx, key(options, number), "v" + number));
      } catch (RegionFullException e) {
        break;
      }
      count++;
    }
    takeTheRest(store);
    return count;
  }

  /** Takes every free block, of whatever length. */
  private static void takeTheRest(WordStore store) {
    for (long bytes = 1 << 18; bytes > 1 << 14; bytes -= 4096) {
      takeAll(store, bytes);
    }
    for (long bytes = 1 << 14;
        bytes >= 16;
        bytes -= Math.max(16, Long.highestOneBit(bytes - 1) / 8)) {
      takeAll(store, bytes); // each length of small blocks
    }
  }

  private static void takeAll(WordStore store, long bytes) {
    try {
      while (true) {
        store.run(tx -> tx.allocate(bytes));
      }
    } catch (RegionFullException e) {
      // Shorter ones may fit.
    }
  }

  /** A way to free all entries of a map. */
  enum Way {
    REMOVE {
      @Override
      void free(WordStore store, Options options, KeyedCollection<Object, String> map, long count) {
        for (long i = 0; i < count; i++) {
          Object key = key(options, i);
          boolean isRemoved = store.call(tx -> map.remove(tx, key));
          assertThat(isRemoved).isTrue();
        }
      }
    },
    REMOVE_BACKWARDS_AFTER_A_ROLLBACK {
      @Override
      void free(WordStore store, Options options, KeyedCollection<Object, String> map, long count) {
        for (long i = count - 1; i >= 0; i--) {
          Object key = key(options, i);
          boolean isRemoved =
              store.call(
                  tx -> {
                    Savepoint before = tx.savepoint();
                    boolean _ = map.remove(tx, key);
                    tx.rollBack(before);
                    return map.remove(tx, key);
                  });
          assertThat(isRemoved).isTrue();
        }
      }
    },
    CLEAR {
      @Override
      void free(WordStore store, Options options, KeyedCollection<Object, String> map, long count) {
        store.run(map::clear);
      }
    },
    COMPUTE {
      @Override
      void free(WordStore store, Options options, KeyedCollection<Object, String> map, long count) {
        for (long i = 0; i < count; i++) {
          Object key = key(options, i);
          store.run(tx -> map.computeIfPresent(tx, key, (_, _) -> null));
        }
      }
    },
    VIEW {
      @Override
      void free(WordStore store, Options options, KeyedCollection<Object, String> map, long count) {
        Map<Object, String> view =
            map instanceof PersistentMap<Object, String> unsorted
                ? unsorted.asMap()
                : ((PersistentSortedMap<Object, String>) map).asMap();
        boolean _ = view.values().removeIf(_ -> true);
      }
    };

    abstract void free(
        WordStore store, Options options, KeyedCollection<Object, String> map, long count);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void everyEntryOfAMapCanBeRemoved(Way way) {
    for (Options options : options()) {
      try (WordStore store = open()) {
        KeyedCollection<Object, String> map = map(store, options);
        long count = fill(store, options, map);
        way.free(store, options, map, count);
        assertThat(store.<Boolean, RuntimeException>read(map::isEmpty)).as("%s", options).isTrue();
        requireJournal(store, options, map, 2 * count);
        if (options.kept <= LONG_JOURNAL) { // a longer journal takes what was freed
          requireRoom(store);
        }
      } catch (RuntimeException e) {
        throw new AssertionError(way + " with " + options, e);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void expiredEntriesAreReclaimedAndMapsAreDropped(Options options) {
    try (WordStore store = open()) {
      KeyedCollection<Object, String> map = map(store, options);
      long count = fill(store, options, map);
      if (map instanceof PersistentMap<Object, String> expiring && options.expires) {
        clock.move(LIFE.toMillis());
        assertThat(expiring.expiry().reclaim()).isEqualTo(count);
        requireJournal(store, options, map, 2 * count);
        if (options.kept <= LONG_JOURNAL) {
          requireRoom(store);
        }
      }
      assertThat(store.drop("map")).isTrue();
      requireRoom(store);
    }
  }

  /** A journal numbers every change, and shows those that it still has. */
  private static void requireJournal(
      WordStore store, Options options, KeyedCollection<Object, String> map, long changes) {
    if (options.kept == 0) {
      return;
    }
    store.run(
        tx -> {
          assertThat(map.changes().newest(tx)).isEqualTo(changes);
          long position = map.changes().oldest(tx);
          assertThat(position).isBetween(Math.max(0, changes - options.kept), changes);
          for (List<Change<Object, String>> some = after(tx, map, position);
              !some.isEmpty();
              some = after(tx, map, position)) {
            for (Change<Object, String> each : some) {
              assertThat(each.position()).isEqualTo(++position);
            }
          }
          assertThat(position).isEqualTo(changes);
        });
    store.run(
        tx -> {
          map.put(tx, key(options, 0), "w");
          Change<Object, String> last = after(tx, map, changes).getFirst();
          assertThat(last).isEqualTo(new Change.Put<>(changes + 1, key(options, 0), "w"));
        });
    if (options.kept < changes) {
      assertThatThrownBy(() -> store.run(tx -> after(tx, map, 0)))
          .isInstanceOf(ChangesLostException.class);
    }
  }

  private static List<Change<Object, String>> after(
      Tx tx, KeyedCollection<Object, String> map, long position) {
    return map.changes().after(tx, position, READ_AT_ONCE);
  }

  /** What was freed can be used again. */
  private static void requireRoom(WordStore store) {
    store.run(
        tx -> {
          Savepoint before = tx.savepoint();
          for (int i = 0; i < 200; i++) {
            long _ = tx.allocate(64);
          }
          tx.rollBack(before);
        });
  }

  /**
   * The removed entry frees a block of another length than its change needs, and the changes before
   * it do not make room either: the change is lost, and readers are told.
   */
  @Test
  void aRemovalSucceedsThoughNothingMakesRoomForItsChange() {
    int large = 12;
    int small = 40;
    try (WordStore store = open()) {
      PersistentMap<String, String> plain = store.map("map", Codec.utf8(), Codec.utf8());
      for (int i = 0; i < large; i++) {
        String key = largeKey(i);
        store.run(tx -> plain.put(tx, key, key));
      }
      PersistentMap<String, String> map =
          store.map("map", Codec.utf8(), Codec.utf8(), ChangeJournal.keeping(100));
      for (int i = 0; i < small; i++) {
        String key = "k" + i;
        store.run(tx -> map.put(tx, key, key));
      }
      takeTheRest(store);
      for (int i = 0; i < 3; i++) {
        long newest = small + i + 1L;
        String key = largeKey(i);
        store.run(tx -> assertThat(map.remove(tx, key)).isTrue());
        store.run(
            tx -> {
              assertThat(map.changes().newest(tx)).isEqualTo(newest);
              assertThat(map.changes().oldest(tx)).isEqualTo(newest);
              assertThat(map.changes().after(tx, newest, 1)).isEmpty();
            });
        assertThatThrownBy(() -> store.run(tx -> map.changes().after(tx, newest - 1, 1)))
            .isInstanceOf(ChangesLostException.class);
      }
      store.run(map::clear); // there is room again
      long cleared = 2L * small + large;
      store.run(tx -> map.put(tx, "k", "v"));
      List<Change<String, String>> told =
          store.read(tx -> map.changes().after(tx, cleared, READ_AT_ONCE));
      assertThat(told).containsExactly(new Change.Put<>(cleared + 1, "k", "v"));
      for (int i = 0; i < 100; i++) {
        store.run(tx -> map.remove(tx, "k"));
        store.run(tx -> map.put(tx, "k", "v"));
      }
      long oldest = store.read(tx -> map.changes().oldest(tx));
      assertThat(oldest).isEqualTo(cleared + 1 + 200 - 100);
    }
  }

  private static String largeKey(int number) {
    return "k".repeat(3000) + number;
  }

  /** A collection of another kind, and a way to free its elements. */
  enum Other {
    SET {
      @Override
      void add(WordStore store, Tx tx, int number) {
        boolean _ = store.set("other", Codec.utf8()).add(tx, element(number));
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        return store.set("other", Codec.utf8()).remove(tx, element(number));
      }
    },
    MULTIMAP {
      @Override
      void add(WordStore store, Tx tx, int number) {
        boolean _ =
            store.multimap("other", Codec.utf8(), Codec.int32()).put(tx, element(number), number);
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        return store.multimap("other", Codec.utf8(), Codec.int32()).removeAll(tx, element(number))
            == 1;
      }
    },
    LIST_AT_ITS_END {
      @Override
      void add(WordStore store, Tx tx, int number) {
        store.list("other", Codec.utf8()).add(tx, element(number));
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        return store.list("other", Codec.utf8()).removeLast(tx) != null;
      }
    },
    LIST_AT_ITS_BEGINNING {
      @Override
      void add(WordStore store, Tx tx, int number) {
        LIST_AT_ITS_END.add(store, tx, number);
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        PersistentList<String> list = store.list("other", Codec.utf8());
        return !list.remove(tx, number < 100 ? 0 : list.size(tx) - 1).isEmpty();
      }
    },
    LIST_WHOSE_ELEMENTS_SHRINK {
      @Override
      void add(WordStore store, Tx tx, int number) {
        LIST_AT_ITS_END.add(store, tx, number);
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        store.list("other", Codec.utf8()).set(tx, number, element(number).replace('e', 'E'));
        return true;
      }
    },
    QUEUE {
      @Override
      void add(WordStore store, Tx tx, int number) {
        store.queue("other", Codec.utf8()).add(tx, element(number));
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        return store.queue("other", Codec.utf8()).poll(tx) != null;
      }
    },
    BLOB {
      @Override
      void add(WordStore store, Tx tx, int number) {
        store.blob("other").append(tx, new byte[100]);
      }

      @Override
      boolean free(WordStore store, Tx tx, int number) {
        PersistentBlob blob = store.blob("other");
        blob.truncate(tx, blob.length(tx) - 100);
        return true;
      }
    };

    abstract void add(WordStore store, Tx tx, int number);

    abstract boolean free(WordStore store, Tx tx, int number);

    private static String element(int number) {
      return "an element of the collection " + number;
    }
  }

  @ParameterizedTest
  @EnumSource(Other.class)
  void everyElementOfAnotherCollectionCanBeRemovedAndItIsDropped(Other other) {
    for (boolean isDropped : new boolean[] {false, true}) {
      try (WordStore store = open()) {
        int count = 0;
        for (boolean isFull = false; !isFull; ) {
          int number = count;
          try {
            store.run(tx -> other.add(store, tx, number));
            count++;
          } catch (RegionFullException e) {
            isFull = true;
          }
        }
        takeTheRest(store);
        if (isDropped) {
          assertThat(store.drop("other")).isTrue();
        } else {
          for (int i = 0; i < count; i++) {
            int number = i;
            boolean isFreed = store.call(tx -> other.free(store, tx, number));
            assertThat(isFreed).isTrue();
          }
        }
        if (isDropped || other != Other.LIST_WHOSE_ELEMENTS_SHRINK) {
          requireRoom(store);
        }
      }
    }
  }
}

package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans of ranges whose function changes the map: before, at and behind where the scan is. */
@Tag("scaled")
final class SortedMapScanTest {

  /** Several leaves, on two levels. */
  private static final int ENTRIES = 300;

  /** Of the pairs of ends one in so many, others with each thing to do; campaigns take all. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 3);

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(1));

  @AfterEach
  void close() {
    store.close();
  }

  /** What the function does to the map, and to its model, at each entry. */
  enum Doing {
    NOTHING {
      @Override
      void at(long key, Change map) {}
    },
    REMOVE_THIS {
      @Override
      void at(long key, Change map) {
        map.remove(key);
      }
    },
    REMOVE_THE_ONE_BEFORE {
      @Override
      void at(long key, Change map) {
        map.remove(key - 2);
      }
    },
    REMOVE_THE_NEXT {
      @Override
      void at(long key, Change map) {
        map.remove(key + 2);
      }
    },
    REMOVE_TEN_AHEAD {
      @Override
      void at(long key, Change map) {
        for (long ahead = key + 2; ahead <= key + 20; ahead += 2) {
          map.remove(ahead);
        }
      }
    },
    ADD_BEHIND_IT {
      @Override
      void at(long key, Change map) {
        map.put(key + 1);
      }
    },
    ADD_BEFORE_IT {
      @Override
      void at(long key, Change map) {
        map.put(key - 1);
      }
    },
    ADD_AND_REMOVE {
      @Override
      void at(long key, Change map) {
        map.put(key - 1);
        map.remove(key);
        map.put(key);
        map.put(key + 2);
      }
    };

    abstract void at(long key, Change map);
  }

  /** Changes the stored map and the model alike. */
  interface Change {
    void put(long key);

    void remove(long key);
  }

  @ParameterizedTest
  @EnumSource
  void aScanOfNumbersShowsWhatIsThereWhenItComesBy(Doing doing) {
    scans(Codec.int64(), key -> key, doing);
  }

  @ParameterizedTest
  @EnumSource
  void aScanOfTextsShowsWhatIsThereWhenItComesBy(Doing doing) {
    scans(Codec.utf8(), key -> "%05d".formatted(key + 1000), doing);
  }

  private <K extends Comparable<K>> void scans(
      OrderedCodec<K> keys, LongFunction<K> key, Doing doing) {
    PersistentSortedMap<K, Long> map = store.sortedMap("map", keys, Codec.int64());
    List<@Nullable Long> ends = new ArrayList<>(List.of(-2L, 0L, 1L, 100L, 101L, 598L, 700L));
    ends.add(null);
    int pair = List.of(Doing.values()).indexOf(doing);
    for (Long from : ends) {
      for (Long to : ends) {
        if (pair++ % STRIDE != 0) {
          continue;
        }
        TreeMap<Long, K> model = new TreeMap<>();
        store.run(
            tx -> {
              map.clear(tx);
              for (long n = 0; n < ENTRIES; n++) {
                map.put(tx, key.apply(2 * n), 2 * n);
                model.put(2 * n, key.apply(2 * n));
              }
              List<Long> shown = new ArrayList<>();
              int most = doing == Doing.NOTHING ? Integer.MAX_VALUE : 80;
              map.scan(
                  tx,
                  from == null ? null : key.apply(from),
                  to == null ? null : key.apply(to),
                  (k, v) -> {
                    assertThat(k).isEqualTo(key.apply(v));
                    assertThat(v).as("%s to %s", from, to).isEqualTo(next(model, shown, from, to));
                    shown.add(v);
                    doing.at(v, changing(tx, map, model, key));
                    return shown.size() < most;
                  });
              if (shown.size() < most) {
                assertThat(next(model, shown, from, to)).as("%s to %s", from, to).isNull();
              }
              assertThat(map.keys(tx).toList()).isEqualTo(List.copyOf(model.values()));
            });
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aScanGoesOnBehindScansWithinItsFunction(boolean isReading) {
    PersistentSortedMap<Long, Long> map = store.sortedMap("map", Codec.int64(), Codec.int64());
    List<Long> all = LongStream.range(0, ENTRIES).boxed().toList();
    store.run(
        tx -> {
          for (long key : all) {
            map.put(tx, key, -key);
          }
        });
    TxFunction<List<Long>, RuntimeException> scans =
        tx -> {
          List<Long> shown = new ArrayList<>();
          map.scan(
              tx,
              null,
              null,
              (key, value) -> {
                assertThat(value).isEqualTo(-key);
                shown.add(key);
                List<Long> inner = new ArrayList<>();
                long from = (key + 150) % ENTRIES;
                map.scan(
                    tx,
                    from,
                    null,
                    (other, otherValue) -> {
                      assertThat(otherValue).isEqualTo(-other);
                      inner.add(other);
                      return inner.size() < 5;
                    });
                assertThat(inner).isEqualTo(all.stream().skip(from).limit(5).toList());
                return true;
              });
          return shown;
        };
    assertThat(isReading ? store.read(scans) : store.call(scans)).isEqualTo(all);
  }

  /** Returns the key that comes behind those that were shown; null if there is none. */
  private static @Nullable Long next(
      NavigableMap<Long, ?> model, List<Long> shown, @Nullable Long from, @Nullable Long to) {
    Long next =
        !shown.isEmpty()
            ? model.higherKey(shown.getLast())
            : from == null ? model.firstKey() : model.ceilingKey(from);
    return next == null || (to != null && next >= to) ? null : next;
  }

  private static <K> Change changing(
      Tx tx, PersistentSortedMap<K, Long> map, Map<Long, K> model, LongFunction<K> key) {
    return new Change() {
      @Override
      public void put(long number) {
        map.put(tx, key.apply(number), number);
        model.put(number, Objects.requireNonNull(key.apply(number)));
      }

      @Override
      public void remove(long number) {
        assertThat(map.remove(tx, key.apply(number))).isEqualTo(model.remove(number) != null);
      }
    };
  }
}

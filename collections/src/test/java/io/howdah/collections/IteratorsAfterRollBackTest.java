package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Iterators that stand on what a roll-back takes away: the last change before it is older than
 * their last step, so nothing but the roll-back itself tells them to look again.
 */
@Tag("scaled")
final class IteratorsAfterRollBackTest {

  private static final int ENTRIES = 40;
  private static final int GAP = 100;

  /**
   * Where nodes are full of what goes, one step in so many: no divisor of a gap's keys, so that
   * each place in a gap is met. Campaigns take all.
   */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 17);

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(1));

  @AfterEach
  void close() {
    store.close();
  }

  /**
   * What an iterator shows that makes some steps, then sees a roll-back, and goes on to its end.
   */
  private <T> List<T> show(Consumer<Tx> change, Function<Tx, Iterator<T>> open, int steps) {
    return store.call(
        tx -> {
          Savepoint savepoint = tx.savepoint();
          change.accept(tx);
          Iterator<T> iterator = open.apply(tx);
          List<T> shown = new ArrayList<>();
          for (int i = 0; i < steps; i++) {
            shown.add(iterator.next());
          }
          tx.rollBack(savepoint);
          iterator.forEachRemaining(shown::add);
          return shown;
        });
  }

  private PersistentSortedMap<Long, Long> sortedMap() {
    PersistentSortedMap<Long, Long> map = store.sortedMap("map", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long key = 0; key < ENTRIES; key++) {
            map.put(tx, key * GAP, key);
          }
        });
    return map;
  }

  /** Puts a key into each gap of a sorted map, or many into its middle. */
  private static void fill(PersistentSortedMap<Long, Long> map, Tx tx, int inEachGap) {
    for (long key = 0; key < ENTRIES - 1; key++) {
      for (long more = 1; more <= inEachGap; more++) {
        map.put(tx, key * GAP + more, -key);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 30})
  void aSortedMapGoesOnBehindTheKeyThatWasShownLast(int inEachGap) {
    PersistentSortedMap<Long, Long> map = sortedMap();
    requireRest(map, inEachGap, tx -> keys(map.entries(tx).iterator()), Long::compare);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 30})
  void aSortedMapGoesOnBeforeTheKeyThatWasShownLast(int inEachGap) {
    PersistentSortedMap<Long, Long> map = sortedMap();
    requireRest(
        map,
        inEachGap,
        tx -> keys(map.range(tx, Range.reversed(Range.all())).iterator()),
        Comparator.reverseOrder());
  }

  /** After a roll-back at any step, the keys of before follow that come behind the last one. */
  private void requireRest(
      PersistentSortedMap<Long, Long> map,
      int inEachGap,
      Function<Tx, Iterator<Long>> open,
      Comparator<Long> order) {
    int stride = inEachGap > 3 ? STRIDE : 1;
    for (int steps = 1; steps < ENTRIES * (inEachGap + 1) - inEachGap; steps += stride) {
      List<Long> shown = show(tx -> fill(map, tx, inEachGap), open, steps);
      List<Long> expected = new ArrayList<>(shown.subList(0, steps));
      Long last = expected.getLast();
      IntStream.range(0, ENTRIES)
          .mapToObj(key -> (long) key * GAP)
          .filter(key -> order.compare(key, last) > 0)
          .sorted(order)
          .forEach(expected::add);
      assertThat(shown).as("after %d steps", steps).isEqualTo(expected);
    }
  }

  private static <K> Iterator<K> keys(Iterator<? extends Map.Entry<K, ?>> entries) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return entries.hasNext();
      }

      @Override
      public K next() {
        return entries.next().getKey();
      }
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 500})
  void aMapShowsNoEntryThatIsGone(int more) {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long key = 0; key < ENTRIES; key++) {
            map.put(tx, key, key);
          }
        });
    for (int steps = 1; steps < ENTRIES + more; steps += more > 20 ? STRIDE : 1) {
      int made = steps;
      List<Long> shown =
          show(
              tx -> {
                for (long key = 0; key < more; key++) {
                  map.put(tx, ENTRIES + key, -key);
                }
              },
              tx -> keys(map.iterator(tx)),
              steps);
      assertThat(shown.subList(made, shown.size()))
          .as("after %d steps", steps)
          .allMatch(key -> key < ENTRIES);
    }
  }

  @Test
  void aListEndsWhereItEndsNow() {
    PersistentList<Long> list = store.list("list", Codec.int64());
    store.run(
        tx -> {
          for (long i = 0; i < ENTRIES; i++) {
            list.add(tx, i);
          }
        });
    for (int steps = 1; steps < 2 * ENTRIES; steps++) {
      List<Long> shown =
          show(
              tx -> {
                for (long i = 0; i < ENTRIES; i++) {
                  list.set(tx, i, -i);
                  list.add(tx, ENTRIES + i);
                }
              },
              list::iterator,
              steps);
      int made = steps;
      assertThat(shown).hasSize(Math.max(steps, ENTRIES));
      assertThat(shown.subList(made, shown.size()))
          .as("after %d steps", steps)
          .isEqualTo(
              IntStream.range(made, Math.max(made, ENTRIES)).mapToObj(i -> (long) i).toList());
    }
  }

  @Test
  void aQueueEndsWhereItEndsNow() {
    PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
    store.run(
        tx -> {
          for (long i = 0; i < ENTRIES; i++) {
            queue.add(tx, i);
          }
        });
    for (int steps = 1; steps < 2 * ENTRIES; steps++) {
      int made = steps;
      List<Long> shown =
          show(
              tx -> {
                for (long i = 0; i < ENTRIES; i++) {
                  queue.add(tx, ENTRIES + i);
                }
              },
              tx -> queue.stream(tx).iterator(),
              steps);
      assertThat(shown.subList(made, shown.size()))
          .as("after %d steps", steps)
          .isEqualTo(
              IntStream.range(made, Math.max(made, ENTRIES)).mapToObj(i -> (long) i).toList());
    }
  }
}

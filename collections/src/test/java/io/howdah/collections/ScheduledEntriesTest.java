package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableCursor;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxFunction;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A look-up validates an entry's words by the orec of the slot that leads to it (docs/adr/0043).
 * Here it is stopped at each of its steps, twice in each run, and each time somebody else changes
 * the entry: replaces its value in place, or has it elsewhere, or gives its block to others, whose
 * words look like an entry. A transaction that reads two entries finds what one commit left.
 */
@Timeout(300)
@Tag("scaled")
final class ScheduledEntriesTest {

  private static final int RUNS = Integer.getInteger("howdah.schedules", 160) / 8;
  private static final int LENGTH = 28;
  private static final int OTHER_LENGTH = 60;
  private static final int NONE = -1;
  private static final int TOLD = -2;

  /** In place of a number of keys: a cursor. */
  private static final int CURSOR = 0;

  /** What others write: never a value's bytes. */
  private static final long WRONG = 0x6666_6666_6666_6666L;

  /** A map of two entries, both always with the same number in all bytes of their values. */
  private static final class Pair {
    private final WordStore store;
    private final PersistentMap<Long, byte[]> map;
    private final long[] entries;

    Pair(WordStore store) {
      this.store = store;
      map = store.map("pair", Codec.int64(), Codec.bytes());
      put(1, LENGTH);
      entries = entries();
    }

    private long[] entries() {
      return store.read(
          tx -> {
            Words words = TxHandle.of(tx).words();
            HashTable table = Blocks.table(words, map.address(), Long.BYTES, Codec.VARIABLE);
            long[] found = new long[2];
            for (int key = 0; key < 2; key++) {
              Codec.int64().encode((long) key, table.beginImage(words));
              found[key] = table.find(words, table.endKey(words));
            }
            return found;
          });
    }

    void put(int number, int length) {
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) number);
      store.run(
          tx -> {
            map.put(tx, 0L, value);
            map.put(tx, 1L, value);
          });
    }

    void remove() {
      store.run(
          tx -> {
            map.remove(tx, 0L);
            map.remove(tx, 1L);
          });
    }

    /** Takes the freed entries' blocks, and writes others' words behind the same keys. */
    void takeOver() {
      int left = entries.length;
      while (left > 0) {
        long block = store.call(tx -> tx.allocate(Long.BYTES + Integer.BYTES + LENGTH));
        if (block == entries[0] || block == entries[1]) {
          left--;
          store.run(
              tx -> {
                for (int at = 2 * Long.BYTES; at < Long.BYTES + LENGTH; at += Long.BYTES) {
                  tx.putLong(block + at, WRONG);
                }
              });
        }
      }
    }

    /** Returns the number that both values hold, {@link #NONE} or {@link #TOLD}. */
    int lookUp() {
      return lookUp(tx -> Arrays.asList(map.get(tx, 0L), map.get(tx, 1L)));
    }

    /** Returns the number that one of the values holds. */
    int lookUpOne() {
      return lookUp(tx -> Collections.singletonList(map.get(tx, 0L)));
    }

    /** Returns the number that the value holds which a cursor finds first. */
    int iterate() {
      return lookUp(
          tx -> {
            Words words = map.words(tx);
            HashTable table = Blocks.table(words, map.address(), Long.BYTES, Codec.VARIABLE);
            Codec.int64().encode(0L, table.beginImage(words));
            int stripe = HashTableLayout.stripe(table.endKey(words));
            HashTableCursor cursor =
                new HashTableCursor(table, (long) stripe << HashTableLayout.STRIPE_SHIFT);
            long entry = cursor.next(words, 1);
            return Collections.singletonList(
                entry == 0 ? null : Codec.bytes().decode(table.value(words, entry)));
          });
    }

    /**
     * The values are judged behind the body, which would be repeated if it threw on stale reads.
     */
    private int lookUp(TxFunction<List<byte @Nullable []>, RuntimeException> body) {
      try {
        List<Integer> numbers = store.read(body).stream().map(Pair::number).toList();
        assertThat(numbers).containsOnly(numbers.getFirst());
        return numbers.getFirst();
      } catch (CollectionMismatchException e) {
        return TOLD;
      }
    }

    private static int number(byte @Nullable [] value) {
      if (value == null) {
        return NONE;
      }
      for (byte b : value) {
        assertThat(b).as("of %s", value).isEqualTo(value[0]);
      }
      return value[0];
    }
  }

  private interface Change {
    void half(Pair pair, int half);
  }

  private static ScheduledLookupsTest.Run run(Change change, int keys, int first, int second) {
    return ScheduledLookupsTest.run(
        first,
        second,
        1, // one arena, which comes upon all that was freed
        store -> {
          Pair pair = new Pair(store);
          return new ScheduledLookupsTest.Parts(
              keys == 2 ? pair::lookUp : keys == 1 ? pair::lookUpOne : pair::iterate,
              () -> change.half(pair, 0),
              () -> change.half(pair, 1));
        });
  }

  private static void everyPairOfSteps(Change change, int keys, Integer... answers) {
    boolean[] met = new boolean[128];
    ScheduledLookupsTest.everyPairOfSteps(
        (first, second) -> {
          ScheduledLookupsTest.Run run = run(change, keys, first, second);
          assertThat((int) run.answer())
              .as("stopped after %d and %d steps", first, second)
              .isIn((Object[]) answers);
          met[(int) run.answer() + 2] = true;
          return run;
        });
    for (int answer : answers) {
      assertThat(met[answer + 2]).as("answer %d", answer).isTrue();
    }
  }

  @Test
  void valuesReplacedInPlaceAreThoseOfOneCommit() {
    everyPairOfSteps((pair, half) -> pair.put(2 + half, LENGTH), 2, 1, 2, 3);
  }

  /** A cursor has read slots before it reads the entries, with other reads in between. */
  @Test
  void valuesThatACursorFindsAreThoseOfOneCommit() {
    everyPairOfSteps((pair, half) -> pair.put(2 + half, LENGTH), CURSOR, 1, 2, 3);
  }

  @Test
  void whatOthersPutInTheOldPlaceIsNotFoundByACursor() {
    everyPairOfSteps(
        (pair, half) -> {
          if (half == 0) {
            pair.put(2, OTHER_LENGTH);
          } else {
            pair.takeOver();
          }
        },
        CURSOR,
        1,
        2);
  }

  @Test
  void whatOthersPutInThePlaceOfADroppedMapsIsNotFoundByACursor() {
    everyPairOfSteps(
        (pair, half) -> {
          if (half == 0) {
            pair.store.drop("pair");
          } else {
            pair.takeOver();
          }
        },
        CURSOR,
        1,
        TOLD);
  }

  @Test
  void valuesThatMoveAreThoseOfOneCommit() {
    everyPairOfSteps(
        (pair, half) -> {
          pair.put(2 + half, half == 0 ? OTHER_LENGTH : LENGTH);
        },
        2,
        1,
        2,
        3);
  }

  @Test
  void whatOthersPutInTheirOldPlaceIsNotTakenForThem() {
    everyPairOfSteps(
        (pair, half) -> {
          if (half == 0) {
            pair.put(2, OTHER_LENGTH);
          } else {
            pair.takeOver();
          }
        },
        1,
        1,
        2);
  }

  @Test
  void whatOthersPutInThePlaceOfRemovedOnesIsNotTakenForThem() {
    everyPairOfSteps(
        (pair, half) -> {
          if (half == 0) {
            pair.remove();
          } else {
            pair.takeOver();
          }
        },
        1,
        1,
        NONE);
  }

  @Test
  void whatOthersPutInThePlaceOfADroppedMapsIsNotTakenForThem() {
    everyPairOfSteps(
        (pair, half) -> {
          if (half == 0) {
            pair.store.drop("pair");
          } else {
            pair.takeOver();
          }
        },
        1,
        1,
        TOLD);
  }

  /** Two who look up, beside two who replace the values in place. */
  private static void run(long seed, Schedule schedule) {
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .spuriousOneIn(0)
            .maxSteps(1_000_000)
            .build();
    try (WordStore store = ScheduledLookupsTest.store(execution, 2)) {
      Pair pair = new Pair(store);
      Runnable reader =
          () -> {
            for (int i = 0; i < 6; i++) {
              assertThat(pair.lookUp()).as("seed %d", seed).isPositive();
            }
          };
      execution.run(
          () ->
              List.of(
                      execution.spawn("writer", () -> writeBetweenTwo(pair, 2)),
                      execution.spawn("writer", () -> writeBetweenTwo(pair, 5)),
                      execution.spawn("reader", reader::run),
                      execution.spawn("reader", reader::run))
                  .forEach(execution::join));
    }
  }

  private static void writeBetweenTwo(Pair pair, int number) {
    pair.put(number, LENGTH);
    pair.put(number + 1, OTHER_LENGTH);
    pair.put(number + 2, LENGTH);
  }

  @Test
  void underRandomSchedules() {
    for (long seed = 0; seed < RUNS; seed++) {
      run(seed, Schedule.random(seed, 1 + (int) (seed % 8)));
    }
  }

  @Test
  void underSchedulesWithFewPreemptions() {
    for (long seed = 0; seed < RUNS; seed++) {
      run(seed, Schedule.pct(seed, 2 + (int) (seed % 4), 4000));
    }
  }
}

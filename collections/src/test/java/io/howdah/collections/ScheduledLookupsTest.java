package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.stm.TxHandle;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A look-up reads how many buckets a table has, and where they are, past the orecs (docs/adr/0038).
 * Here it is stopped at each of its steps, twice in each run, and each time somebody else changes
 * the table to the end: it grows, is dropped, or its block is given to others, whose words look
 * like a table. Every pair of steps is tried. Then both go on in any order, whoever changes the
 * table also within his commits.
 */
@Timeout(300)
@Tag("scaled")
final class ScheduledLookupsTest {

  /** Of the second steps one in so many is tried; campaigns try all. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 12);

  /** Runs of each kind; more of them with -Dhowdah.schedules=N. */
  private static final int RUNS = Integer.getInteger("howdah.schedules", 160) / 8;

  private static final long VALUE = 11;
  private static final long WRONG = 666;
  private static final long NONE = -1;
  private static final long TOLD = -2;

  /** Lets the reader go to a step, then the writer to its half, then both so once more. */
  private static final class TwoStops implements Schedule {
    private static final int NOBODY = -1;

    private final int first;
    private final int second;
    private int reader = NOBODY;
    private int writer = NOBODY;
    private int steps;
    private int stepsSinceFirst;
    private int done;

    /**
     * Stops the reader twice.
     *
     * @param first after so many of its steps
     * @param second after so many further ones
     */
    TwoStops(int first, int second) {
      this.first = first;
      this.second = second;
    }

    @Override
    public int choose(int current, long runnable, boolean waiting) {
      if (current == reader) {
        if (done == 0) {
          steps++;
        } else if (done == 1) {
          stepsSinceFirst++;
        }
      }
      boolean stopped = done == 0 ? steps >= first : done == 1 && stepsSinceFirst >= second;
      int wanted = stopped ? writer : reader;
      if (wanted != NOBODY && (runnable >>> wanted & 1) != 0) {
        return wanted;
      }
      // Before both have begun, and when the wanted one has ended: whoever comes next.
      long above = runnable & -1L << (current + 1 & 63);
      return Long.numberOfTrailingZeros(above != 0 ? above : runnable);
    }
  }

  /** Somebody else's two halves of a change, each a few transactions. */
  private interface Change {
    void first(Table table);

    void second(Table table);

    default boolean hasTwoHalves() {
      return true;
    }
  }

  /** A map of one entry, whose hash moves it with each of the first two splits of its bucket. */
  private static final class Table {
    private final WordStore store;
    private final PersistentMap<Long, Long> map;
    private final long address;
    private final HashTable words;
    private final long key;
    private final long hash;

    /** A bucket of zeros, and one with the key and another value; as old as the map. */
    private final long emptyLine;

    private final long fakeLine;

    Table(WordStore store) {
      this.store = store;
      map = store.map("map", Codec.int64(), Codec.int64());
      address = map.address();
      words =
          store.read(tx -> Blocks.table(TxHandle.of(tx).words(), address, Long.BYTES, Long.BYTES));
      long found = 0;
      while (hash(found) >>> HashTableLayout.STRIPE_SHIFT != 0 || (hash(found) & 3) != 3) {
        found++;
      }
      key = found;
      hash = hash(found);
      store.run(tx -> map.put(tx, key, VALUE));
      emptyLine = store.call(tx -> tx.allocate(HashTableLayout.BUCKET_BYTES));
      fakeLine =
          store.call(
              tx -> {
                long entry = tx.allocate(4 * Long.BYTES);
                tx.putLong(entry, word(key));
                tx.putLong(entry + Long.BYTES, word(WRONG));
                long line = tx.allocate(HashTableLayout.BUCKET_BYTES);
                tx.putLong(line, HashTableLayout.tag(hash) | entry);
                return line;
              });
    }

    private long hash(long candidate) {
      return store.call(
          tx -> {
            Codec.int64().encode(candidate, words.beginImage(TxHandle.of(tx).words()));
            return words.endKey(TxHandle.of(tx).words());
          });
    }

    /** Returns how an entry holds a number. */
    private static long word(long number) {
      return Long.reverseBytes(number ^ Long.MIN_VALUE);
    }

    long lookUp() {
      try {
        return store.read(tx -> map.getOrDefault(tx, key, NONE));
      } catch (CollectionMismatchException e) {
        return TOLD;
      }
    }

    /** Gives each stripe twice as many buckets, as a table that has so many entries does. */
    void doubleBuckets() {
      growTo(2 * buckets());
    }

    private long buckets() {
      return store.read(tx -> tx.getLong(address + HashTableLayout.STRIPES_OFFSET));
    }

    /** Has the table grow until the first stripe, that of the key, has so many buckets. */
    void growTo(long buckets) {
      long entries = address + HashTableLayout.STRIPES_OFFSET + HashTableLayout.ENTRIES_OFFSET;
      while (buckets() < buckets) {
        store.run(
            tx -> {
              tx.putLong(entries, HashTableLayout.STRIPES * buckets * 5);
              TxHandle.of(tx).words().afterCommit(words);
            });
      }
    }

    /** Takes the dropped table's block, and has all its buckets lead to a line. */
    void takeOver(long line) {
      long block = 0;
      while (block != address) {
        block = store.call(tx -> tx.allocate(HashTableLayout.LENGTH));
      }
      store.run(
          tx -> {
            for (int i = 0; i < HashTableLayout.SEGMENTS; i++) {
              tx.putLong(address + HashTableLayout.SEGMENTS_OFFSET + (long) i * Long.BYTES, line);
            }
            tx.putLong(address + HashTableLayout.STRIPES_OFFSET, 1);
          });
    }
  }

  /** How often a look-up found the value, and how often it was told that the map is gone. */
  private record Outcomes(int found, int told) {}

  /** What one run came to: the reader's answer, and whether it was stopped both times. */
  record Run(long answer, boolean stoppedOnce, boolean stoppedTwice) {}

  static WordStore store(SimulatedExecution execution, int partitions) {
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    return WordStore.inMemory(
        WordOptions.defaults()
            .withMaxSize(1 << 18)
            .withOrecs(1 << 10)
            .withPartitions(partitions)
            .withMemory(disk.storage()::allocate)
            .withExecution(execution));
  }

  /** What a run does: the reader's look-up, and the two halves of somebody else's change. */
  record Parts(LongSupplier lookUp, Runnable first, Runnable second) {}

  /** One run, by where the reader is stopped. */
  interface Stopped {
    Run run(int first, int second);
  }

  private static Run run(Change change, int first, int second) {
    return run(
        first,
        second,
        2,
        store -> {
          Table table = new Table(store);
          return new Parts(table::lookUp, () -> change.first(table), () -> change.second(table));
        });
  }

  static Run run(int first, int second, int partitions, Function<WordStore, Parts> prepare) {
    TwoStops schedule = new TwoStops(first, second);
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .spuriousOneIn(0)
            .maxSteps(1_000_000)
            .build();
    try (WordStore store = store(execution, partitions)) {
      Parts parts = prepare.apply(store);
      long[] answer = new long[1];
      int[] endedAt = {-1};
      execution.run(
          () -> {
            Thread writer =
                execution.spawn(
                    "writer",
                    () -> {
                      schedule.writer = (int) execution.threadNumber();
                      execution.yieldNow();
                      parts.first.run();
                      schedule.done = 1;
                      execution.yieldNow();
                      parts.second.run();
                      schedule.done = 2;
                    });
            Thread reader =
                execution.spawn(
                    "reader",
                    () -> {
                      schedule.reader = (int) execution.threadNumber();
                      execution.yieldNow();
                      answer[0] = parts.lookUp.getAsLong();
                      endedAt[0] = schedule.done;
                    });
            List.of(writer, reader).forEach(execution::join);
          });
      return new Run(answer[0], endedAt[0] >= 1, endedAt[0] == 2);
    }
  }

  /** Tries every pair of steps, and returns what the look-ups came to. */
  private static Outcomes everyPairOfSteps(Change change) {
    int[] found = new int[1];
    int[] told = new int[1];
    everyPairOfSteps(
        (first, second) -> {
          Run run = run(change, first, second);
          assertThat(run.answer)
              .as("stopped after %d and %d steps", first, second)
              .isIn(VALUE, TOLD);
          found[0] += run.answer == VALUE ? 1 : 0;
          told[0] += run.answer == TOLD ? 1 : 0;
          return change.hasTwoHalves() ? run : new Run(run.answer, run.stoppedOnce, false);
        });
    return new Outcomes(found[0], told[0]);
  }

  /** Tries pairs of steps: of the second ones one in so many, others after each first one. */
  static void everyPairOfSteps(Stopped stopped) {
    int firstSteps = 0;
    boolean more = true;
    for (int first = 1; more; first++) {
      boolean moreOfSecond = true;
      for (int second = 1 + first % STRIDE; moreOfSecond; second += STRIDE) {
        Run run = stopped.run(first, second);
        moreOfSecond = run.stoppedTwice;
        more = run.stoppedOnce;
        firstSteps = first;
      }
    }
    // Header, number, segment, header, bucket, entry, header.
    assertThat(firstSteps).as("steps of a look-up").isGreaterThan(15);
  }

  @Test
  void whatIsThereIsFoundWhileTheTableGrows() {
    Outcomes outcomes =
        everyPairOfSteps(
            new Change() {
              @Override
              public void first(Table table) {
                table.doubleBuckets();
              }

              @Override
              public void second(Table table) {
                table.doubleBuckets();
              }
            });
    assertThat(outcomes.told).isZero();
  }

  /**
   * The first bucket is split twice, and the second, where the key's entry has gone, is not yet: so
   * the first one's depth leads to a bucket that is not there.
   */
  @Test
  void aBucketThatWasSplitTwiceDoesNotSayWhereTheOthersAre() {
    Outcomes outcomes =
        everyPairOfSteps(
            new Change() {
              @Override
              public void first(Table table) {
                table.growTo(3);
              }

              @Override
              public void second(Table table) {
                table.growTo(4);
              }
            });
    assertThat(outcomes.told).isZero();
  }

  private static Change dropAndTakeOver(boolean isFake) {
    return new Change() {
      @Override
      public void first(Table table) {
        table.store.drop("map");
      }

      @Override
      public void second(Table table) {
        table.takeOver(isFake ? table.fakeLine : table.emptyLine);
      }
    };
  }

  @Test
  void whatOthersPutInTheTablesPlaceIsNotTakenForItsEntries() {
    Outcomes outcomes = everyPairOfSteps(dropAndTakeOver(true));
    assertThat(outcomes.found).isPositive();
    assertThat(outcomes.told).isPositive();
  }

  @Test
  void whatOthersPutInTheTablesPlaceIsNotTakenForItsEmptiness() {
    Outcomes outcomes = everyPairOfSteps(dropAndTakeOver(false));
    assertThat(outcomes.found).isPositive();
    assertThat(outcomes.told).isPositive();
  }

  @Test
  void atOnceInsteadOfInTwoHalves() {
    Change change =
        new Change() {
          @Override
          public void first(Table table) {
            table.doubleBuckets();
            table.store.drop("map");
            table.takeOver(table.fakeLine);
          }

          @Override
          public void second(Table table) {}

          @Override
          public boolean hasTwoHalves() {
            return false;
          }
        };
    Outcomes outcomes = everyPairOfSteps(change);
    assertThat(outcomes.found).isPositive();
    assertThat(outcomes.told).isPositive();
  }

  /**
   * Two who look up until they are told, beside one who lets the table grow and takes its place.
   */
  private static void run(long seed, Schedule schedule) {
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .spuriousOneIn(0)
            .maxSteps(1_000_000)
            .build();
    try (WordStore store = store(execution, 2)) {
      Table table = new Table(store);
      boolean[] gone = new boolean[1];
      Runnable reader =
          () -> {
            for (long answer = VALUE; answer != TOLD; ) {
              boolean wasGone = gone[0];
              answer = table.lookUp();
              assertThat(answer).as("seed %d", seed).isIn(wasGone ? TOLD : VALUE, TOLD);
            }
          };
      Runnable writer =
          () -> {
            table.doubleBuckets();
            table.doubleBuckets();
            store.drop("map");
            gone[0] = true;
            table.takeOver(seed % 2 == 0 ? table.fakeLine : table.emptyLine);
          };
      execution.run(
          () ->
              List.of(
                      execution.spawn("writer", writer::run),
                      execution.spawn("reader", reader::run),
                      execution.spawn("reader", reader::run))
                  .forEach(execution::join));
    }
  }

  @Test
  void underRandomSchedules() {
    for (long seed = 0; seed < RUNS; seed++) {
      run(seed, Schedule.random(seed, 4 + (int) (seed % 16)));
    }
  }

  @Test
  void underSchedulesWithFewPreemptions() {
    for (long seed = 0; seed < RUNS; seed++) {
      run(seed, Schedule.pct(seed, 2 + (int) (seed % 4), 4000));
    }
  }
}

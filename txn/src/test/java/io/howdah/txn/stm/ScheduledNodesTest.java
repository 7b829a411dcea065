package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.EmptyPages;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers and writers of a small tree of nodes, which splits and merges, in pages that are blocks
 * in between, under a scheduler that decides after every access to shared memory. Each attempt sees
 * one state that was there while it ran, and reaches no leaf that is not the key's.
 */
@Timeout(300)
@Tag("scaled")
final class ScheduledNodesTest {

  /** Runs of each kind; more of them with -Dhowdah.schedules=N. */
  private static final int RUNS = Integer.getInteger("howdah.schedules", 300) / 5;

  private static final long ROOT = RegionHeaderLayout.ROOTS_ADDRESS;

  /** The word that leads to the block, or 0. */
  private static final long SLOT = ROOT + 128;

  /** What is read: the keys, and a word of the block. */
  private static final int READS = SmallTree.KEYS + 1;

  private static final int BLOCK = SmallTree.KEYS;
  private static final int BLOCK_BYTES = 20 << 10;
  private static final long NONE = -1;
  private static final int PASSES = 2;
  private static final int MOST_COMMITS = 30;

  /** Attempts that lose before a reader goes on as a snapshot, and one more. */
  private static final int LOSSES = 4;

  /** A commit: what it left in each key and in the block, else {@link #NONE}. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Written(long lsn, long[] values) {
    @Override
    public String toString() {
      return lsn + ": " + Arrays.toString(values);
    }
  }

  private record Read(int what, long value) {}

  /** What one attempt of a reader saw, in order. */
  private static final class Seen {
    private final long begunAfter;
    private final List<Read> reads = new ArrayList<>();

    Seen(long begunAfter) {
      this.begunAfter = begunAfter;
    }
  }

  /** A store of its own, two writers, two readers; one at a time runs, so no locks here. */
  private static final class Run {
    private final SplittableRandom random;
    private final boolean loses;
    private final SimulatedExecution execution;
    private final SmallTree tree;
    private final List<Written> commits = new ArrayList<>();
    private final List<Seen> attempts = new ArrayList<>();
    private long returned;
    private long lastValue;
    private int readersLeft = 2;
    private int conversions;

    Run(long seed, boolean loses, Schedule schedule) {
      this.random = new SplittableRandom(seed);
      this.loses = loses;
      this.tree = new SmallTree(ROOT, 1024 << seed % 3);
      this.execution =
          SimulatedExecution.builder(schedule)
              .virtualThreads()
              .spuriousOneIn(0)
              .maxSteps(4_000_000)
              .build();
    }

    /** Returns how many blocks and nodes met in pages: a measure of what the run has tried. */
    int execute() {
      SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
      try (WordEngine store =
          WordEngine.inMemory(
              EngineOptions.defaults()
                  .withMaxSize(1 << 18) // so that no scan holds a monitor over its loads
                  .withOrecs(1 << 10)
                  .withPartitions(2)
                  .withMemory(disk.storage()::allocate)
                  .withExecution(execution))) {
        commit(store, tree::create, new long[READS]);
        execution.run(
            () -> {
              List<Consumer<WordEngine>> threads =
                  List.of(this::write, this::write, this::read, this::read);
              threads.stream()
                  .map(each -> execution.spawn("thread", () -> each.accept(store)))
                  .toList()
                  .forEach(execution::join);
            });
        judge(store.lsn());
      }
      return conversions;
    }

    private void commit(WordEngine store, Consumer<Tx> body, long[] values) {
      long lsn = store.run(body::accept);
      commits.add(new Written(lsn, values));
      returned = Math.max(returned, lsn);
    }

    private void put(WordEngine store, int keys) {
      long[] values = new long[READS];
      Arrays.fill(values, NONE);
      for (int key = 0; key < SmallTree.KEYS; key++) {
        values[key] = (keys >>> key & 1) == 0 ? NONE : ++lastValue;
      }
      commit(
          store,
          tx -> {
            for (int key = 0; key < SmallTree.KEYS; key++) {
              if (values[key] != NONE) {
                tree.put(tx, key, values[key]);
              }
            }
          },
          values);
    }

    private void change(WordEngine store) {
      int kind = random.nextInt(8);
      int key = random.nextInt(SmallTree.KEYS);
      long[] nothing = new long[READS];
      Arrays.fill(nothing, NONE);
      switch (kind) {
        case 0, 1 -> commit(store, tx -> tree.split(tx, key), nothing);
        case 2, 3 -> {
          long[] freed = new long[1];
          commit(store, tx -> freed[0] = tree.merge(tx, key), nothing);
          if (freed[0] != 0 && random.nextInt(3) != 0) {
            commit(
                store,
                tx -> EmptyPages.release(TxHandle.of(tx).words().heap, freed[0]),
                nothing.clone());
          }
        }
        case 4, 5 -> changeBlock(store, nothing);
        default -> put(store, 1 + random.nextInt((1 << SmallTree.KEYS) - 1));
      }
    }

    /** Makes the block, whose words are all the same, or frees it. */
    private void changeBlock(WordEngine store, long[] values) {
      long value = ++lastValue;
      commit(
          store,
          tx -> {
            long block = TxHandle.of(tx).words().getUnchecked(SLOT);
            long made = 0;
            if (block == 0) {
              made = TxHandle.of(tx).words().heap.allocateUncleared(BLOCK_BYTES);
              for (int i = 0; i < BLOCK_BYTES; i += 256) {
                tx.putLong(made + i, value);
              }
            } else {
              tx.free(block);
            }
            TxHandle.of(tx).words().putUnchecked(SLOT, made);
            values[BLOCK] = made == 0 ? 0 : value;
          },
          values);
      conversions++;
    }

    private void write(WordEngine store) {
      for (int i = 0; i < MOST_COMMITS && readersLeft != 0; i++) {
        change(store);
      }
    }

    private void read(WordEngine store) {
      for (int i = 0; i < 2; i++) {
        int[] begun = new int[1];
        store.read(
            tx -> {
              Seen seen = new Seen(returned);
              attempts.add(seen);
              begun[0]++;
              int first = random.nextInt(READS);
              for (int at = 0; at < PASSES * READS; at++) {
                int what = (first + at) % READS;
                long value = value(tx, what);
                seen.reads.add(new Read(what, value));
                if (at == 0 && loses && begun[0] < LOSSES) {
                  put(store, (1 << SmallTree.KEYS) - 1); // also what it has read
                }
              }
              return 0;
            });
      }
      readersLeft--;
    }

    private long value(Tx tx, int what) {
      if (what != BLOCK) {
        return tree.get(tx, what);
      }
      long block = TxHandle.of(tx).words().getUnchecked(SLOT);
      return block == 0 ? 0 : tx.getLong(block + 256L * random.nextInt(BLOCK_BYTES / 256));
    }

    /** Returns what is there once all commits up to an LSN have happened, and no other. */
    private long valueAt(long lsn, int what) {
      long last = 0;
      long value = 0;
      for (Written commit : commits) {
        if (commit.lsn <= lsn && commit.lsn > last && commit.values[what] != NONE) {
          last = commit.lsn;
          value = commit.values[what];
        }
      }
      return value;
    }

    private void judge(long clock) {
      for (Seen attempt : attempts) {
        boolean found = false;
        for (long lsn = attempt.begunAfter; lsn <= clock && !found; lsn++) {
          long state = lsn;
          found = attempt.reads.stream().allMatch(read -> read.value == valueAt(state, read.what));
        }
        assertThat(found)
            .as("one state after %d: %s in %s", attempt.begunAfter, attempt.reads, commits)
            .isTrue();
      }
    }
  }

  private static void runAll(boolean loses, LongFunction<Schedule> schedules) {
    int conversions = 0;
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        conversions += new Run(seed, loses, schedules.apply(seed)).execute();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(conversions).as("blocks made and freed").isGreaterThan(RUNS);
  }

  @Test
  void readersSeeOneStateUnderRandomSchedules() {
    runAll(false, seed -> Schedule.random(seed, 1 + (int) (seed % 16)));
  }

  @Test
  void readersSeeOneStateUnderSchedulesWithFewPreemptions() {
    runAll(false, seed -> Schedule.pct(seed, 4 + (int) (seed % 8), 20_000));
  }

  @Test
  void readersThatHaveLostSeeOneStateUnderRandomSchedules() {
    runAll(true, seed -> Schedule.random(seed, 1 + (int) (seed % 16)));
  }

  @Test
  void readersThatHaveLostSeeOneStateUnderSchedulesWithFewPreemptions() {
    runAll(true, seed -> Schedule.pct(seed, 4 + (int) (seed % 8), 20_000));
  }
}

package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.words.OrecTable;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers that become snapshots (docs/adr/0025, 0037) while writers commit, under a scheduler that
 * decides after every access to shared memory: each attempt of theirs sees one state, which was
 * there while it ran, whatever has been overwritten since.
 */
@Timeout(300)
@Tag("scaled")
final class ScheduledSnapshotsTest {

  /** Runs of each kind; more of them with -Dhowdah.schedules=N. */
  private static final int RUNS = Integer.getInteger("howdah.schedules", 300) / 5;

  private static final int WORDS = 6;
  private static final int MOST_COMMITS = 40;

  /** How often an attempt reads each word. */
  private static final int PASSES = 5;

  /** Attempts that lose before a short reader goes on as a snapshot, and one more. */
  private static final int LOSSES = 4;

  /** Reads after which a reader is long, and some more. */
  private static final int MANY_READS = 1100;

  /** A commit: what it left in each word that it wrote, else 0. */
  private record Written(long lsn, List<Long> values) {}

  /** What one attempt of a reader saw, in the order of the words, pass by pass. */
  private static final class Attempt {
    private final long begunAfter;
    private final List<Long> seen = new ArrayList<>();

    Attempt(long begunAfter) {
      this.begunAfter = begunAfter;
    }
  }

  /** A store of its own, two writers, two readers; one at a time runs, so no locks here. */
  private static final class Run {
    private final SplittableRandom random;
    private final boolean isLong;
    private final SimulatedExecution execution;
    private final List<Written> commits = new ArrayList<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private long block;
    private long returned;
    private long lastValue;
    private int readersLeft = 2;

    /** What happens when an attempt has read two words. */
    private Consumer<WordEngine> halfway = _ -> {};

    /** How often a reader saw a word as it had been before a commit that had returned. */
    private int overtaken;

    Run(long seed, boolean isLong, Schedule schedule) {
      this.random = new SplittableRandom(seed);
      this.isLong = isLong;
      this.execution =
          SimulatedExecution.builder(schedule)
              .virtualThreads()
              .spuriousOneIn(0)
              .maxSteps(2_000_000)
              .build();
    }

    private long address(int word) {
      return block + (long) word * OrecTable.STRIPE_BYTES;
    }

    int execute() {
      return execute(List.of(this::write, this::write, this::read, this::read));
    }

    private int execute(List<Consumer<WordEngine>> threads) {
      SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
      try (WordEngine store =
          WordEngine.inMemory(
              EngineOptions.defaults()
                  .withMaxSize(1 << 16)
                  .withOrecs(1 << 12)
                  .withPartitions(2)
                  .withMemory(disk.storage()::allocate)
                  .withExecution(execution))) {
        block = store.call(tx -> tx.allocate((long) MANY_READS * OrecTable.STRIPE_BYTES));
        commit(store, (1 << WORDS) - 1);
        execution.run(
            () ->
                threads.stream()
                    .map(each -> execution.spawn("thread", () -> each.accept(store)))
                    .toList()
                    .forEach(execution::join));
        judge(store.lsn());
      }
      return overtaken;
    }

    /** Gives some words values that they never had. */
    private void commit(WordEngine store, int which) {
      List<Long> values = new ArrayList<>();
      for (int w = 0; w < WORDS; w++) {
        values.add((which >>> w & 1) == 0 ? 0 : ++lastValue);
      }
      long lsn =
          store.run(
              tx -> {
                for (int w = 0; w < WORDS; w++) {
                  if (values.get(w) != 0) {
                    tx.putLong(address(w), values.get(w));
                  }
                }
              });
      commits.add(new Written(lsn, values));
      returned = Math.max(returned, lsn);
    }

    private void write(WordEngine store) {
      for (int i = 0; i < MOST_COMMITS && readersLeft != 0; i++) {
        commit(store, 1 + random.nextInt((1 << WORDS) - 1));
      }
    }

    private void read(WordEngine store) {
      for (int i = 0; i < 2; i++) {
        int[] begun = new int[1];
        store.read(
            tx -> {
              Attempt attempt = new Attempt(returned);
              attempts.add(attempt);
              begun[0]++;
              for (int at = 0; at < PASSES * WORDS; at++) {
                int w = at % WORDS;
                for (int other = WORDS; at == 3 && isLong && other < MANY_READS; other++) {
                  tx.getLong(block + (long) other * OrecTable.STRIPE_BYTES);
                }
                long value = tx.getLong(address(w));
                attempt.seen.add(value);
                // Memory has had the newer value for long.
                overtaken += value != valueAt(Long.MAX_VALUE, w) && isRecorded(value, w) ? 1 : 0;
                if (at == 0 && !isLong && begun[0] < LOSSES) {
                  commit(store, 3); // the word that it has read, and the next
                }
                if (at == 1) {
                  halfway.accept(store);
                }
              }
              return 0;
            });
      }
      readersLeft--;
    }

    /** Returns what a word holds once all commits up to an LSN have happened, and no other. */
    private long valueAt(long lsn, int word) {
      long last = 0;
      long value = 0;
      for (Written commit : commits) {
        if (commit.lsn <= lsn && commit.lsn > last && commit.values.get(word) != 0) {
          last = commit.lsn;
          value = commit.values.get(word);
        }
      }
      return value;
    }

    private boolean isRecorded(long value, int word) {
      return commits.stream().anyMatch(commit -> commit.values.get(word) == value);
    }

    private boolean isStateAt(long lsn, Attempt attempt) {
      for (int at = 0; at < attempt.seen.size(); at++) {
        if (attempt.seen.get(at) != valueAt(lsn, at % WORDS)) {
          return false;
        }
      }
      return true;
    }

    private void judge(long clock) {
      for (Attempt attempt : attempts) {
        boolean found = false;
        for (long lsn = attempt.begunAfter; lsn <= clock && !found; lsn++) {
          found = isStateAt(lsn, attempt);
        }
        assertThat(found)
            .as("one state after %d: %s in %s", attempt.begunAfter, attempt.seen, commits)
            .isTrue();
      }
    }
  }

  private static void runAll(boolean isLong, LongFunction<Schedule> schedules) {
    int overtaken = 0;
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        overtaken += new Run(seed, isLong, schedules.apply(seed)).execute();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(overtaken).as("words seen as they had been").isPositive();
  }

  @Test
  void readersThatHaveLostSeeOneStateUnderRandomSchedules() {
    runAll(false, seed -> Schedule.random(seed, 1 + (int) (seed % 4)));
  }

  @Test
  void readersThatHaveLostSeeOneStateUnderSchedulesWithFewPreemptions() {
    runAll(false, seed -> Schedule.pct(seed, 4 + (int) (seed % 8), 5000));
  }

  @Test
  void longReadersSeeOneStateUnderRandomSchedules() {
    runAll(true, seed -> Schedule.random(seed, 8 + (int) (seed % 64)));
  }

  @Test
  void longReadersSeeOneStateUnderSchedulesWithFewPreemptions() {
    runAll(true, seed -> Schedule.pct(seed, 2 + (int) (seed % 8), 16_000));
  }

  /** Stops a commit at one of its steps until a reader has begun. */
  private static final class CommitStop implements Schedule {
    private static final int NOBODY = -1;

    private final int step;
    private int writer = NOBODY;
    private int reader = NOBODY;
    private int steps;
    private boolean isGoingOn;

    CommitStop(int step) {
      this.step = step;
    }

    @Override
    public int choose(int current, long runnable, boolean waiting) {
      steps += current == writer ? 1 : 0;
      boolean stopped = reader != NOBODY && steps >= step && !isGoingOn;
      int wanted = stopped ? reader : writer;
      if (wanted != NOBODY && (runnable >>> wanted & 1) != 0) {
        return wanted;
      }
      long above = runnable & -1L << (current + 1 & 63);
      return Long.numberOfTrailingZeros(above != 0 ? above : runnable);
    }
  }

  /**
   * A commit is stopped at each of its steps in turn, and meanwhile somebody becomes a snapshot and
   * reads words; what the commit leaves in others then, he does not see, or he sees all of it.
   */
  @Test
  void whateverACommitHasDoneASnapshotThatBeginsThenSeesOneState() {
    boolean[] stopped = {true};
    int steps = 0;
    int overtaken = 0;
    for (; stopped[0]; steps++) {
      CommitStop schedule = new CommitStop(steps);
      Run run = new Run(steps, false, schedule);
      run.halfway =
          store -> {
            if (run.attempts.size() == LOSSES) {
              run.commit(store, 3); // so that no state has these as they were and the others new
              schedule.isGoingOn = true;
            }
          };
      Consumer<WordEngine> writer =
          store -> {
            while (schedule.reader == CommitStop.NOBODY) {
              run.execution.yieldNow();
            }
            schedule.writer = (int) run.execution.threadNumber();
            run.commit(store, 7 << 3);
            stopped[0] = schedule.isGoingOn;
          };
      Consumer<WordEngine> reader =
          store -> {
            schedule.reader = (int) run.execution.threadNumber();
            run.read(store);
          };
      overtaken += run.execute(List.of(writer, reader));
    }
    assertThat(steps).as("steps of a commit").isGreaterThan(20);
    assertThat(overtaken).isPositive();
  }
}

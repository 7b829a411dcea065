package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The production code under a scheduler that decides after every access to shared memory, judged
 * like the model docs/models/tl2.cpp judges its steps: committed writers have read the state just
 * before their LSN, every other attempt some state not older than when it began, and LSN order
 * agrees with real time.
 */
@Timeout(300)
@Tag("scaled")
final class ScheduledTransactionsTest {

  /** Runs of each kind; more of them with -Dhowdah.schedules=N. */
  private static final int RUNS = Integer.getInteger("howdah.schedules", 400);

  private static final int WORDS = 4;
  private static final int THREADS = 3;

  /** What one transaction does: reads in order, then writes. */
  private record Program(
      List<Integer> reads, List<Integer> writes, boolean irrevocable, boolean atOnce) {
    @Override
    public String toString() {
      return "reads " + reads + " writes " + writes + (irrevocable ? " irrevocably" : "");
    }
  }

  private enum End {
    ABORTED,
    COMMITTED,
    READ_ONLY
  }

  private static final class Attempt {
    private final long id;
    private final Program program;
    private final long returnedBefore;
    private final List<Long> seen = new ArrayList<>();
    private End end = End.ABORTED;
    private long lsn;

    Attempt(long id, Program program, long returnedBefore) {
      this.id = id;
      this.program = program;
      this.returnedBefore = returnedBefore;
    }

    @Override
    public String toString() {
      return "#"
          + id
          + " "
          + end
          + " lsn "
          + lsn
          + ": "
          + program
          + " saw "
          + seen
          + ", begun after "
          + returnedBefore;
    }
  }

  /** A store of its own, three threads and what they did; one at a time runs, so no locks here. */
  private static final class Run {
    private final SplittableRandom random;
    private final long[] addresses = new long[WORDS];
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<List<Program>> programs = new ArrayList<>();
    private long returned;
    private long firstLsn;

    Run(long seed) {
      random = new SplittableRandom(seed);
      // Words of one stripe, of different stripes, and, with few orecs, of stripes that share one.
      long[][] layouts = {{0, 8, 64, 72}, {0, 32, 64, 96}, {0, 8, 16, 24}, {0, 4096, 8192, 12288}};
      long[] layout = layouts[random.nextInt(layouts.length)];
      for (int w = 0; w < WORDS; w++) {
        addresses[w] = 8192 + layout[w];
      }
      for (int t = 0; t < THREADS; t++) {
        List<Program> mine = new ArrayList<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
          mine.add(program());
        }
        programs.add(mine);
      }
    }

    private Program program() {
      List<Integer> reads = words(random.nextInt(WORDS));
      List<Integer> writes = random.nextInt(4) == 0 ? List.of() : words(1 + random.nextInt(2));
      return new Program(reads, writes, random.nextInt(10) == 0, random.nextBoolean());
    }

    private List<Integer> words(int count) {
      return random.ints(count, 0, WORDS).distinct().boxed().toList();
    }

    SimulationOutcome execute(Schedule schedule) {
      SimulatedExecution execution =
          SimulatedExecution.builder(schedule)
              .virtualThreads()
              .spuriousOneIn(0)
              .maxSteps(200_000)
              .build();
      SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
      WordEngine store =
          WordEngine.inMemory(
              EngineOptions.defaults()
                  .withMaxSize(1 << 16)
                  .withOrecs(64)
                  .withPartitions(2)
                  .withMemory(disk.storage()::allocate)
                  .withExecution(execution));
      firstLsn =
          store.run(
              tx -> {
                for (int w = 0; w < WORDS; w++) {
                  tx.putLong(addresses[w], -1L - w);
                }
              });
      returned = firstLsn;
      SimulationOutcome outcome =
          execution.run(
              () -> {
                List<Thread> threads = new ArrayList<>();
                for (List<Program> mine : programs) {
                  threads.add(
                      execution.spawn("t", () -> mine.forEach(program -> repeat(store, program))));
                }
                threads.forEach(execution::join);
              });
      judge(store);
      store.close();
      return outcome;
    }

    private void repeat(WordEngine store, Program program) {
      TxOptions how = TxOptions.async();
      while (!attempt(store, program, program.irrevocable ? how.withIrrevocable() : how)) {
        // The schedule is fair enough for this to end.
      }
    }

    private boolean attempt(WordEngine store, Program program, TxOptions how) {
      Attempt attempt = new Attempt(attempts.size(), program, returned);
      attempts.add(attempt);
      EngineSession txSession = store.session();
      Tx tx = txSession.begin(how);
      try {
        read(tx, program, attempt);
        for (int w : program.writes) {
          tx.putLong(addresses[w], attempt.id);
        }
        long lsn = txSession.commit();
        attempt.end = program.writes.isEmpty() ? End.READ_ONLY : End.COMMITTED;
        attempt.lsn = lsn;
        if (attempt.end == End.COMMITTED) {
          returned = Math.max(returned, lsn);
        }
        return true;
      } catch (ConflictException e) {
        assertThat(program.irrevocable).as("an irrevocable transaction lost").isFalse();
        return false;
      } finally {
        txSession.abort();
      }
    }

    private void read(Tx tx, Program program, Attempt attempt) {
      if (program.atOnce) {
        long[] values = new long[program.reads.size()];
        tx.getLongs(program.reads.stream().mapToLong(w -> addresses[w]).toArray(), values);
        LongStream.of(values).forEach(attempt.seen::add);
        return;
      }
      for (int w : program.reads) {
        attempt.seen.add(tx.getLong(addresses[w]));
      }
    }

    /** Returns what a word holds once all commits up to an LSN have happened, and no other. */
    private long value(long lsn, int word) {
      long newest = 0;
      long value = -1L - word;
      for (Attempt a : attempts) {
        if (a.end == End.COMMITTED
            && a.lsn <= lsn
            && a.lsn > newest
            && a.program.writes.contains(word)) {
          newest = a.lsn;
          value = a.id;
        }
      }
      return value;
    }

    private boolean isStateAt(long lsn, Attempt a) {
      for (int i = 0; i < a.seen.size(); i++) {
        if (a.seen.get(i) != value(lsn, a.program.reads.get(i))) {
          return false;
        }
      }
      return true;
    }

    private void judge(WordEngine store) {
      long clock = store.lsn();
      for (Attempt a : attempts) {
        if (a.end == End.COMMITTED) {
          if (!isStateAt(a.lsn - 1, a)) {
            fail("a committed writer has not read the state before its LSN: " + a + history());
          }
          if (a.lsn <= a.returnedBefore) {
            fail("LSN order contradicts real time: " + a + history());
          }
        } else {
          boolean found = false;
          for (long lsn = a.returnedBefore; lsn <= clock && !found; lsn++) {
            found = isStateAt(lsn, a);
          }
          if (!found) {
            fail("an attempt saw a state that never was: " + a + history());
          }
        }
      }
      store.run(
          tx -> {
            for (int w = 0; w < WORDS; w++) {
              assertThat(tx.getLong(addresses[w]))
                  .as("word %d %s", w, this)
                  .isEqualTo(value(clock, w));
            }
          });
    }

    private String history() {
      StringBuilder all = new StringBuilder();
      attempts.forEach(a -> all.append("\n  ").append(a));
      return all.toString();
    }
  }

  @Test
  void randomSchedulesAreSerializableAndOpaque() {
    for (long seed = 0; seed < RUNS; seed++) {
      execute(seed, Schedule.random(seed, 1 + (int) (seed % 4)));
    }
  }

  @Test
  void schedulesWithFewRarePreemptionsAreSerializableAndOpaque() {
    for (long seed = 0; seed < RUNS; seed++) {
      execute(seed, Schedule.pct(seed, 2 + (int) (seed % 4), 200));
    }
  }

  @Test
  void regularSchedulesAreSerializableAndOpaque() {
    for (long seed = 0; seed < RUNS; seed++) {
      execute(seed, Schedule.roundRobin(1 + (int) (seed % 23)));
    }
  }

  private static void execute(long seed, Schedule schedule) {
    Run run = new Run(seed);
    try {
      run.execute(schedule);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ", " + run.programs, e);
    }
  }
}

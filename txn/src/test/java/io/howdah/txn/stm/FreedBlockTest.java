package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A block is unlinked and freed while another commit is about to store into it, and given out again
 * at once: what the slow commit stores late must not overwrite what the new owner wrote
 * (privatisation; blocks are only ever accessed through transactions, whose orecs stay locked until
 * the stores are done).
 */
@Timeout(120)
@Tag("scaled")
final class FreedBlockTest {

  /** Runs of each kind; more of them with -Dhowdah.schedules=N. */
  private static final int RUNS = Integer.getInteger("howdah.schedules", 400);

  private static final int OLD = 0;
  private static final int NEW = 1;
  private static final int BLOCK_BYTES = 64;

  /** Returns whether the block that was freed was given out again. */
  private static boolean run(Schedule schedule) {
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .spuriousOneIn(0)
            .maxSteps(200_000)
            .build();
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    try (WordEngine store =
        WordEngine.inMemory(
            EngineOptions.defaults()
                .withMaxSize(1 << 16)
                .withOrecs(64)
                .withPartitions(2)
                .withMemory(disk.storage()::allocate)
                .withExecution(execution))) {
      long block =
          store.call(
              tx -> {
                long address = tx.allocate(BLOCK_BYTES);
                tx.root(OLD, address);
                return address;
              });
      execution.run(
          () -> {
            Thread writer = execution.spawn("writer", () -> write(store));
            Thread owner = execution.spawn("owner", () -> takeOver(store));
            List.of(writer, owner).forEach(execution::join);
          });
      return store.read(
          tx -> {
            long taken = tx.root(NEW);
            for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
              assertThat(tx.getLong(taken + at)).as("word %d", at).isEqualTo(2);
            }
            return taken == block;
          });
    }
  }

  /** Writes into the block as long as it is linked. */
  private static void write(WordEngine store) {
    store.run(
        tx -> {
          long address = tx.root(OLD);
          if (address != 0) {
            for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
              tx.putLong(address + at, 1);
            }
          }
        });
  }

  private static void takeOver(WordEngine store) {
    store.run(
        tx -> {
          long address = tx.root(OLD);
          tx.root(OLD, 0);
          tx.free(address);
        });
    store.run(
        tx -> {
          long address = tx.allocate(BLOCK_BYTES);
          for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
            tx.putLong(address + at, 2);
          }
          tx.root(NEW, address);
        });
  }

  private static void runAll(LongFunction<Schedule> schedules) {
    int reused = 0;
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        reused += run(schedules.apply(seed)) ? 1 : 0;
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(reused).as("how often the block was given out again").isPositive();
  }

  @Test
  void aLateStoreDoesNotHitTheNextOwnerUnderRandomSchedules() {
    runAll(seed -> Schedule.random(seed, 1 + (int) (seed % 4)));
  }

  @Test
  void aLateStoreDoesNotHitTheNextOwnerUnderSchedulesWithFewPreemptions() {
    runAll(seed -> Schedule.pct(seed, 2 + (int) (seed % 4), 200));
  }
}

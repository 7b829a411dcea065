package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.LogFullException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A log at its limit: it grows no further, commits wait, and nobody waits for ever. In simulated
 * time, so that waits of seconds take none.
 */
@Timeout(120)
final class LogLimitTest {

  private static final long LIMIT = 1 << 19;
  private static final int PARTITIONS = 2;
  private static final int RING_BYTES = 1 << 16;

  /** The limit, what was under way when it was reached, and segments not full or not begun. */
  private static final long BOUND = LIMIT + PARTITIONS * RING_BYTES + 3L * SegmentLayout.MIN_LENGTH;

  private static final long WORDS = 8192;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
  private long longest;

  private StoreOptions options(SimulatedDisk where) {
    return StoreOptions.defaults()
        .withStorage(where.storage())
        .withExecution(execution)
        .withMaxSize(1 << 19)
        .withOrecs(1 << 10)
        .withPartitions(PARTITIONS)
        .withRingBytes(RING_BYTES)
        .withMaxTransactionBytes(RING_BYTES)
        .withMaxLogBytes(LIMIT)
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  private void failCheckpoints() {
    disk.inject(
        Fault.onNth(Operation.WRITE, 1)
            .in("journal/")
            .with(StorageException.Reason.NO_SPACE)
            .forEver());
  }

  /** Writes so many words in one transaction, all the same value. */
  private static void write(Store store, Durability durability, int words, long value) {
    store.run(
        TxOptions.of(durability),
        tx -> {
          for (int i = 0; i < words; i++) {
            tx.putLong(WORDS + 8L * i, value);
          }
        });
  }

  private static long value(Store store) {
    return store.read(TxOptions.async(), tx -> tx.getLong(WORDS));
  }

  private long fill(Store store) {
    for (long commits = 0; ; commits++) {
      try {
        write(store, Durability.ASYNC, 500, commits + 1);
      } catch (LogFullException e) {
        assertThat(e)
            .hasMessageContaining("maxLogBytes")
            .hasMessageContaining("this transaction had no effect");
        assertThat(e.getCause())
            .isInstanceOfSatisfying(
                StorageException.class,
                cause -> assertThat(cause.reason()).isEqualTo(StorageException.Reason.NO_SPACE));
        return commits;
      } finally {
        longest = Math.max(longest, logBytes());
      }
    }
  }

  private long logBytes() {
    long bytes = 0;
    Storage storage = disk.storage();
    for (String name : storage.list("log/0")) {
      try (StorageFile file = storage.open("log/0/" + name, Storage.Access.READ)) {
        bytes += file.sizeBytes();
      } catch (StorageException e) {
        // Trimmed meanwhile.
      }
    }
    return bytes;
  }

  @Test
  void whileCheckpointsFailTheLogStaysWithinItsBoundAndCommitsAreRefusedInBoundedTime() {
    execution.run(
        () -> {
          try (Store store = Store.open(options(disk))) {
            failCheckpoints();
            long commits = fill(store);
            assertThat(value(store)).as("the refused one left no trace").isEqualTo(commits);
            assertThat(store.admin().checkpointStats().commitsBlocked()).isTrue();
            assertThat(store.admin().checkpointStats().logBytes()).isGreaterThanOrEqualTo(LIMIT);
            for (Durability durability : Durability.values()) {
              long started = execution.nanoTime();
              assertThatThrownBy(() -> write(store, durability, 1, -1))
                  .isInstanceOf(LogFullException.class);
              assertThat(Duration.ofNanos(execution.nanoTime() - started))
                  .isLessThan(Duration.ofSeconds(10));
            }
            longest = Math.max(longest, logBytes());
            assertThat(longest).isBetween(LIMIT, BOUND);
            assertThat(
                    store
                        .durability()
                        .awaitStable(store.admin().stats().lsn(), Duration.ofSeconds(1)))
                .as("what was committed is forced all the same")
                .isTrue();

            disk.clearFaults();
            write(store, Durability.SYNC, 1, commits + 7);
            assertThat(value(store)).isEqualTo(commits + 7);
            assertThat(store.admin().checkpointStats().commitsBlocked()).isFalse();
            assertThat(store.admin().checkpointStats().holds()).isEqualTo(1);
          }
        });
  }

  @Test
  void whileCheckpointsAreSlowCommitsWaitAndNoneIsRefused() {
    execution.run(
        () -> {
          try (Store store = Store.open(options(disk))) {
            disk.setDelayNanos(2_000_000);
            List<Thread> writers = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
              int first = t;
              writers.add(
                  execution.spawn(
                      "writer-" + t,
                      () -> {
                        for (int i = 0; i < 150; i++) {
                          write(store, i % 8 == 0 ? Durability.SYNC : Durability.ASYNC, 900, first);
                          longest = Math.max(longest, logBytes());
                        }
                      }));
            }
            writers.forEach(execution::join);
            assertThat(longest).isBetween(LIMIT, BOUND);
            assertThat(store.admin().checkpointStats().holds()).isPositive();
          }
        });
  }

  /** Who has a lane, or the gate, goes on or gives up; who has none waits. */
  @Test
  void largeAndIrrevocableTransactionsAtTheLimitEndOnceCheckpointsDo() {
    execution.run(
        () -> {
          StoreOptions options = options(disk).withIrrevocableAfterAborts(2);
          try (Store store = Store.open(options)) {
            failCheckpoints();
            AtomicLong left = new AtomicLong();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
              int kind = t;
              threads.add(
                  execution.spawn(
                      "writer-" + t,
                      () -> {
                        for (int i = 0; i < 30; i++) {
                          switch (kind) {
                            case 0 -> write(store, Durability.ASYNC, 8000, i);
                            case 1 ->
                                store.callWithReceipt(
                                    TxOptions.partition().withIrrevocable(),
                                    tx -> {
                                      tx.putLong(WORDS, tx.getLong(WORDS) + 1);
                                      return 0;
                                    });
                            default -> write(store, Durability.SYNC, 400, i);
                          }
                        }
                        left.incrementAndGet();
                      }));
            }
            while (!store.admin().checkpointStats().commitsBlocked()) {
              execution.parkNanos(this, 1_000_000);
            }
            execution.parkNanos(this, 500_000_000);
            disk.clearFaults();
            threads.forEach(execution::join);
            assertThat(left.get()).isEqualTo(4);
            assertThat(store.admin().checkpointStats().holds()).isPositive();
          }
        });
  }

  @Test
  void aStoreAtTheLimitIsClosedAndItsWaitersAreTold() {
    execution.run(
        () -> {
          Store store = Store.open(options(disk));
          failCheckpoints();
          long commits = fill(store);
          AtomicReference<Throwable> told = new AtomicReference<>();
          Thread waiter =
              execution.spawn(
                  "waiter",
                  () -> {
                    try {
                      write(store, Durability.SYNC, 1, -1);
                    } catch (StoreClosedException e) {
                      told.set(e);
                    }
                  });
          execution.parkNanos(this, 100_000_000);
          disk.clearFaults();
          disk.inject(
              Fault.onNth(Operation.WRITE, 1)
                  .in("journal/")
                  .with(StorageException.Reason.NO_SPACE)
                  .forEver());
          long started = execution.nanoTime();
          assertThatThrownBy(store::close).isInstanceOf(StorageException.class);
          execution.join(waiter);
          assertThat(Duration.ofNanos(execution.nanoTime() - started))
              .isLessThan(Duration.ofSeconds(5));
          assertThat(told.get()).isNotNull();

          // The log of the former life counts, so commits wait for the first checkpoint.
          disk.clearFaults();
          try (Store again = Store.open(options(disk))) {
            assertThat(value(again)).isEqualTo(commits);
            write(again, Durability.SYNC, 1, 7);
            assertThat(again.admin().checkpointStats().taken()).isPositive();
            assertThat(value(again)).isEqualTo(7);
          }
        });
  }

  /** At a quarter of the limit: the rest is for what commits while the checkpoint is taken. */
  @Test
  void whereTheRecoveryGoalAllowsMoreLogTheLimitSaysWhenACheckpointBegins() {
    execution.run(
        () -> {
          StoreOptions options = options(disk).withRecoveryGoal(Duration.ofMinutes(30));
          long greatest = 0;
          try (Store store = Store.open(options)) {
            for (long i = 1; store.admin().checkpointStats().taken() == 0; i++) {
              write(store, Durability.SYNC, 20, i);
              execution.parkNanos(this, Duration.ofMillis(200).toNanos());
              greatest = Math.max(greatest, store.admin().checkpointStats().replayBytes());
              assertThat(greatest).isLessThan(LIMIT * 5 / 16);
            }
          }
          assertThat(greatest).isGreaterThan(LIMIT / 8);
        });
  }

  @Test
  void unlessSetTheLimitIsTheRecoveryGoalsOrTheSize() {
    assertThat(
            StoreOptions.defaults()
                .withMaxSize(1 << 20)
                .withRecoveryGoal(Duration.ofSeconds(1))
                .maxLogBytes())
        .isEqualTo(4 * (200L << 20));
    assertThat(
            StoreOptions.defaults()
                .withMaxSize(1L << 33)
                .withRecoveryGoal(Duration.ofSeconds(1))
                .maxLogBytes())
        .isEqualTo(1L << 33);
    assertThatThrownBy(() -> StoreOptions.defaults().withMaxLogBytes(1000))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

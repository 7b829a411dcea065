package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.LogFullException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.RingDirectory;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store whose file system is full: what still goes on, what waits, and what is refused. In
 * simulated time, so that waits of seconds take none.
 */
@Timeout(120)
final class FullDiskTest {

  private static final long WORDS = 8192;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  /** Writes without waiting until the log takes no more; returns how many commits that took. */
  private static long fill(Store store) {
    long commits = 0;
    while (true) {
      try {
        write(store, commits + 1);
      } catch (LogFullException e) {
        assertThat(e)
            .hasMessageContaining("full")
            .hasMessageContaining("this transaction had no effect");
        return commits;
      }
      commits++;
    }
  }

  private static void write(Store store, long value) {
    store.run(
        TxOptions.async(),
        tx -> {
          for (int i = 0; i < 500; i++) {
            tx.putLong(WORDS + 8L * i, value);
          }
        });
  }

  private static long value(Store store) {
    return store.read(TxOptions.async(), tx -> tx.getLong(WORDS));
  }

  @Test
  void theLossOfTheRingsIsNoticedWhileTheDiskIsFull() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          disk.setFreeBytes(0);
          fill(store);
          Storage other = disk.storage();
          String place;
          try (SuperblockFile superblock = SuperblockFile.open(other)) {
            place = RingDirectory.name(other, superblock.current());
          }
          other.volatilePlace(place, false, 0).orElseThrow().delete("0");
          long end = execution.nanoTime() + Duration.ofSeconds(3).toNanos();
          while (execution.nanoTime() < end) {
            execution.parkNanos(this, 100_000_000);
          }
          assertThatThrownBy(() -> value(store)).isInstanceOf(StoreFailedException.class);
          disk.setFreeBytes(1L << 30);
          assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
        });
  }

  @Test
  void readsGoOnCommitsAreRefusedInBoundedTimeAndGoOnOnceThereIsSpace() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            disk.setFreeBytes(0);
            long commits = fill(store);
            assertThat(commits).isPositive();
            assertThat(value(store)).isEqualTo(commits); // the refused one left no trace
            long started = execution.nanoTime();
            assertThatThrownBy(() -> write(store, -1)).isInstanceOf(LogFullException.class);
            assertThat(Duration.ofNanos(execution.nanoTime() - started))
                .isLessThan(Duration.ofSeconds(20));
            disk.setFreeBytes(1L << 30);
            store.run(TxOptions.sync(), tx -> tx.putLong(WORDS, commits + 7));
            assertThat(value(store)).isEqualTo(commits + 7);
          }
        });
  }

  /**
   * In about one schedule of ten a commit is refused, probably since the log takes the last space.
   * Without a checkpoint for scarce space it is refused in all of them.
   */
  @Test
  void onAnAlmostFullDiskACheckpointFreesTheLogInTime() {
    int schedules = 8;
    int inTime = 0;
    for (int seed = 1; seed <= schedules; seed++) {
      inTime += isFreedInTime(seed) ? 1 : 0;
    }
    assertThat(inTime).isGreaterThanOrEqualTo(schedules / 2);
  }

  private boolean isFreedInTime(long seed) {
    SimulatedExecution schedule =
        SimulatedExecution.builder(Schedule.random(seed, 8))
            .virtualThreads()
            .maxSteps(50_000_000)
            .build();
    SimulatedDisk small = SimulatedDisk.builder(seed).execution(schedule).build();
    AtomicReference<LogFullException> refusal = new AtomicReference<>();
    schedule.run(
        () -> {
          try (Store store =
              Store.open(options().withStorage(small.storage()).withExecution(schedule))) {
            small.setFreeBytes(900 << 10);
            try {
              for (int i = 0; i < 1000; i++) { // eight megabytes of log
                write(store, i);
              }
              store.admin().checkpoint();
            } catch (LogFullException e) {
              refusal.set(e);
              small.setFreeBytes(1L << 30); // so that the store can be closed
            }
          }
        });
    return refusal.get() == null;
  }

  @Test
  void aCheckpointThatWaitsForTheFullLogGivesUpAndLittleIsWrittenMeanwhile() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            disk.setFreeBytes(40 << 10); // enough for a journal, and for no segment
            fill(store);
            long started = execution.nanoTime();
            AtomicReference<Object> outcome = new AtomicReference<>();
            execution.spawn(
                "checkpoint",
                () -> {
                  try {
                    outcome.set(store.admin().checkpoint());
                  } catch (RuntimeException e) {
                    outcome.set(e);
                  }
                });
            while (outcome.get() == null && execution.nanoTime() - started < 20_000_000_000L) {
              execution.parkNanos(this, 100_000_000);
            }
            assertThat(outcome.get())
                .isInstanceOfSatisfying(
                    StorageException.class,
                    e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_SPACE));
            long writes = disk.operations(Operation.WRITE);
            execution.parkNanos(this, 20_000_000_000L);
            assertThat(disk.operations(Operation.WRITE) - writes).isLessThan(100);
            disk.setFreeBytes(1L << 30);
            store.run(TxOptions.sync(), tx -> tx.putLong(WORDS, 7));
            store.admin().checkpoint();
            assertThat(store.admin().checkpointStats().failedAttempts()).isZero();
          }
        });
  }

  @Test
  void aCheckpointThatWasAskedForAndHasFailedIsTakenOnceThereIsSpace() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            write(store, 1);
            store.durability().awaitStable(store.admin().stats().lsn());
            disk.setFreeBytes(0);
            assertThatThrownBy(() -> store.admin().checkpoint())
                .isInstanceOf(StorageException.class);
            execution.parkNanos(this, 3_500_000_000L);
            assertThat(store.admin().checkpointStats().failedAttempts())
                .as("about once a second")
                .isBetween(3L, 9L);
            disk.setFreeBytes(1L << 30);
            execution.parkNanos(this, 2_000_000_000L);
            assertThat(store.admin().checkpointStats().failedAttempts()).isZero();
            assertThat(store.admin().checkpointStats().taken()).isEqualTo(1);
          }
        });
  }

  @Test
  void aSyncCommitWaitsForSpaceAndItsWaitCanBeBounded() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            disk.setFreeBytes(0);
            fill(store);
            long lsn = store.admin().stats().lsn();
            assertThat(store.durability().isStable(lsn)).isFalse();
            assertThat(store.durability().awaitStable(lsn, Duration.ofSeconds(3))).isFalse();
            AtomicReference<Object> outcome = new AtomicReference<>();
            Thread reader =
                execution.spawn(
                    "sync",
                    () -> outcome.set(store.read(TxOptions.sync(), tx -> tx.getLong(WORDS))));
            for (int i = 0; i < 30; i++) {
              execution.parkNanos(this, 1_000_000_000);
            }
            assertThat(outcome.get()).isNull(); // it has not been told what may be lost
            disk.setFreeBytes(1L << 30);
            execution.join(reader);
            assertThat(outcome.get()).isEqualTo(value(store));
            assertThat(store.durability().isStable(lsn)).isTrue();
          }
        });
  }

  @Test
  void closingEndsTheWaitAndTheNextOpeningHasEverything() {
    long[] commits = new long[1];
    execution.run(
        () -> {
          Store store = Store.open(options());
          disk.setFreeBytes(0);
          commits[0] = fill(store);
          AtomicReference<Throwable> outcome = new AtomicReference<>();
          Thread waiter =
              execution.spawn(
                  "waiter",
                  () -> {
                    try {
                      store.durability().awaitStable(store.admin().stats().lsn());
                    } catch (Throwable t) {
                      outcome.set(t);
                    }
                  });
          execution.parkNanos(this, 1_000_000);
          assertThatThrownBy(store::close)
              .isInstanceOf(StoreFailedException.class)
              .hasMessageContaining("full");
          execution.join(waiter);
          assertThat(outcome.get())
              .isInstanceOf(StoreFailedException.class)
              .hasMessageContaining("full");
        });
    disk.kill();
    disk.setFreeBytes(1L << 30);
    execution.use(Schedule.random(6, 8));
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            assertThat(value(store)).isEqualTo(commits[0]);
          }
        });
  }

  @Test
  void aStoreIsNotCreatedOnAFullDiskAndCanBeOnceThereIsSpace() {
    execution.run(
        () -> {
          disk.setFreeBytes(0);
          assertThatThrownBy(() -> Store.open(options()))
              .isInstanceOfSatisfying(
                  StorageException.class,
                  e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_SPACE));
          disk.setFreeBytes(1L << 30);
          Store.open(options()).close();
        });
  }
}

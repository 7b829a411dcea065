package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.LogFullException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The process runs out of descriptors for a while: what could not be opened has changed nothing and
 * is opened later. In simulated time, so that waits of seconds take none.
 */
@Timeout(120)
final class FewDescriptorsTest {

  private static final long WORD = 8192;

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
        .withRingBytes(1 << 16);
  }

  /** Opens fail in these files until the faults are cleared. */
  private void exhaust(Operation operation, String file) {
    disk.inject(Fault.onNth(operation, 1).in(file).with(Reason.TOO_MANY_FILES).forEver());
  }

  private void write(Store store, long value) {
    store.run(TxOptions.sync(), tx -> tx.putLong(WORD, value));
  }

  private long value(Store store) {
    return store.<Long, RuntimeException>read(tx -> tx.getLong(WORD));
  }

  private void requireTriedAgain(Operation operation, String file) {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            write(store, 1);
            exhaust(operation, file);
            for (int attempt = 0; attempt < 3; attempt++) {
              StorageException failure =
                  catchThrowableOfType(StorageException.class, store.admin()::checkpoint);
              assertThat(failure.reason()).isEqualTo(Reason.TOO_MANY_FILES);
              assertThat(failure).hasMessageContaining(file).hasMessageContaining("ulimit -n");
              write(store, 2 + attempt);
            }
            assertThat(store.admin().checkpointStats().failedAttempts()).isGreaterThanOrEqualTo(3);
            assertThat(store.admin().checkpointStats().problem().orElseThrow()).contains(file);
            disk.clearFaults();
            store.admin().checkpoint();
            assertThat(store.admin().checkpointStats().failedAttempts()).isZero();
            assertThat(store.admin().checkpointStats().problem()).isEmpty();
            assertThat(value(store)).isEqualTo(4);
          }
          StoreBackups.check(disk.storage(), execution);
          try (Store again = Store.open(options())) {
            assertThat(value(again)).isEqualTo(4);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"journal/", "image", "image.sums"})
  void aCheckpointThatCannotOpenAFileIsTakenLater(String file) {
    requireTriedAgain(Operation.OPEN, file);
  }

  @Test
  void aCheckpointThatCannotCreateItsJournalIsTakenLater() {
    requireTriedAgain(Operation.CREATE, "journal/");
  }

  @Test
  void aJournalThatCountsIsFoldedLater() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            write(store, 1);
            // The journal is written with image and checksums open for reading; the fold opens them
            // again.
            disk.inject(
                Fault.onNth(Operation.OPEN, 3).in("image").with(Reason.TOO_MANY_FILES).forEver());
            assertThatThrownBy(store.admin()::checkpoint).isInstanceOf(StorageException.class);
            write(store, 2);
            disk.clearFaults();
            store.admin().checkpoint();
            write(store, 3);
          }
          StoreBackups.check(disk.storage(), execution);
          try (Store again = Store.open(options())) {
            assertThat(value(again)).isEqualTo(3);
          }
        });
  }

  @Test
  void aFailedForceStopsTheStoreAsEver() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          write(store, 1);
          disk.inject(Fault.onNth(Operation.FORCE, 1).in("journal/"));
          assertThatThrownBy(store.admin()::checkpoint).isInstanceOf(StoreFailedException.class);
          assertThatThrownBy(() -> write(store, 2)).isInstanceOf(StoreFailedException.class);
          assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theLogGetsItsNextSegmentLater(boolean create) {
    execution.run(
        () -> {
          try (Store store = Store.open(options().withLogSegmentBytes(1 << 16))) {
            write(store, 1);
            exhaust(create ? Operation.CREATE : Operation.OPEN, "log/0/");
            fill(store);
            disk.clearFaults();
            write(store, 7);
          }
          try (Store again = Store.open(options())) {
            assertThat(value(again)).isEqualTo(7);
          }
        });
  }

  /** Commits until the log takes no more. */
  private static void fill(Store store) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                store.run(
                    TxOptions.async(),
                    tx -> {
                      for (int word = 1; word < 500; word++) {
                        tx.putLong(WORD + 8L * word, word);
                      }
                    });
              }
            })
        .isInstanceOf(LogFullException.class)
        .hasMessageContaining("descriptors");
  }
}

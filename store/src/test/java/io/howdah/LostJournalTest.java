package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that died while the journal of a checkpoint was to be written to the image, and whose
 * journal is damaged: the checkpoint is given up, and the log is replayed from the one before.
 * Where it was the first, the image holds nothing yet.
 */
final class LostJournalTest {

  private static final int WORDS = 20;
  private static final int PAGE = 4096;
  private static final int HEADER = 4096;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  private static Store open(SimulatedDisk disk) {
    return Store.open(OPTIONS.withStorage(disk.storage()));
  }

  private static void put(Store store, long value) {
    store.run(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate((long) WORDS * PAGE));
          }
          for (int i = 0; i < WORDS; i++) {
            tx.putLong(tx.root(0) + (long) i * PAGE, value + i);
          }
        });
  }

  private static void assertHolds(Store store, long value) {
    List<Long> words =
        store.read(
            tx -> {
              Long[] read = new Long[WORDS];
              for (int i = 0; i < WORDS; i++) {
                read[i] = tx.getLong(tx.root(0) + (long) i * PAGE);
              }
              return List.of(read);
            });
    for (int i = 0; i < WORDS; i++) {
      assertThat(words.get(i)).isEqualTo(value + i);
    }
  }

  /** Returns the disk of a process that died after a journal was complete. */
  private static SimulatedDisk killedInTheFold(int checkpointsBefore) {
    for (int operation = 1; ; operation++) {
      SimulatedDisk disk = SimulatedDisk.builder(3).volatileBytes(0).build();
      Store store = open(disk);
      for (int i = 0; i < checkpointsBefore; i++) {
        put(store, 100L * i);
        store.admin().checkpoint();
      }
      put(store, 1000);
      try {
        disk.crashAtOperation(disk.operations() + operation, CrashMoment.AFTER);
        store.admin().checkpoint();
      } catch (RuntimeException | SimulatedCrash e) {
        // The process has died.
      }
      kill(disk, store);
      try (SuperblockFile file = SuperblockFile.open(disk.storage())) {
        if (file.current().checkpoint().phase() == CheckpointState.Phase.JOURNALED) {
          return disk;
        }
      }
    }
  }

  private static void kill(SimulatedDisk disk, Store store) {
    disk.kill();
    try {
      store.close(); // ends its threads; no file of it can change any more
    } catch (RuntimeException | SimulatedCrash e) {
      // The process has died.
    }
  }

  private static CheckReport check(SimulatedDisk disk) {
    return StoreBackups.check(disk.storage(), OPTIONS.execution());
  }

  private static void damageJournals(SimulatedDisk disk) {
    for (String name : disk.storage().list("journal")) {
      if (disk.contents("journal/" + name).length > HEADER) {
        disk.flipBit("journal/" + name, HEADER + 17, 2);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void theCheckpointBeforeAndTheLogHaveAll(int checkpointsBefore) {
    SimulatedDisk disk = killedInTheFold(checkpointsBefore);
    assertThat(check(disk).remarks()).as("nothing is wrong yet").isEmpty();
    try (Store store = Store.open(OPTIONS.withReadOnly(true).withStorage(disk.storage()))) {
      assertHolds(store, 1000);
    }
    damageJournals(disk);
    assertThat(check(disk).remarks())
        .singleElement()
        .asString()
        .contains("the journal of the newest checkpoint is damaged (journal/", "has not verified");
    try (Store store = Store.open(OPTIONS.withReadOnly(true).withStorage(disk.storage()))) {
      assertHolds(store, 1000);
    }
    Store store = open(disk);
    assertHolds(store, 1000);
    put(store, 2000);
    kill(disk, store);
    assertThat(check(disk).remarks())
        .singleElement()
        .asString()
        .contains("a damaged journal was given up before", "has not verified");
    try (Store again = open(disk)) {
      assertHolds(again, 2000);
      again.admin().checkpoint();
    }
    assertThat(check(disk).remarks()).isEmpty();
    assertThat(check(disk).closed()).isTrue();
  }

  @Test
  void aRegionWithoutItsHeaderIsRefusedThoughNoPageCanBeChecked() {
    SimulatedDisk disk = killedInTheFold(2);
    damageJournals(disk);
    kill(disk, open(disk));
    assertThat(check(disk).remarks()).singleElement().asString().contains("has not verified");
    byte[] image = disk.contents("image");
    Arrays.fill(image, 0, 2 * Long.BYTES, (byte) 0);
    DamagedStores.write(disk, "image", image);
    disk.kill();
    for (ThrowingCallable action :
        List.<ThrowingCallable>of(() -> check(disk), () -> open(disk).close())) {
      assertThatThrownBy(action)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the region's header is gone");
    }
  }
}

package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException;
import io.howdah.store.open.BackupMark;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An opening that is refused leaves a backup as it was made, also its mark. */
class RefusedBackupTest {

  private static final List<String> DIRECTORIES = List.of("", "log", "log/0", "journal");

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  private static final List<StoreOptions> WAYS =
      List.of(
          OPTIONS,
          OPTIONS.withVerifyImage(true),
          OPTIONS.withBacking(Backing.RESIDENT),
          OPTIONS.withMaxSize(1 << 19));

  private final SimulatedDisk backup = SimulatedDisk.seeded(2);

  @BeforeEach
  void backUp() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(1 << 14)));
      for (long i = 1; i < 50; i++) {
        long value = i;
        store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0) + 8 * value, value));
      }
      store.admin().backup(backup::storage);
    }
    assertThat(BackupMark.isIn(backup.storage())).isTrue();
  }

  private static Map<String, byte[]> contents(SimulatedDisk disk) {
    Map<String, byte[]> found = new TreeMap<>();
    for (String directory : DIRECTORIES) {
      for (String entry : disk.storage().list(directory)) {
        String name = directory.isEmpty() ? entry : directory + "/" + entry;
        boolean isOfLock = name.startsWith("store.lock") || name.startsWith("store.owner");
        if (!DIRECTORIES.contains(name) && !name.equals("rings") && !isOfLock) {
          found.put(name, disk.contents(name));
        }
      }
    }
    return found;
  }

  /** Returns whether the opening was refused. */
  private static boolean isRefused(SimulatedDisk disk, StoreOptions options, String what) {
    Map<String, byte[]> before = contents(disk);
    boolean isBackup = BackupMark.isIn(disk.storage());
    try (Store _ = Store.open(options.withStorage(disk.storage()))) {
      assertThat(BackupMark.isIn(disk.storage())).as(what).isFalse();
      return false;
    } catch (HowdahException e) {
      assertThat(BackupMark.isIn(disk.storage())).as(what).isEqualTo(isBackup);
      assertThat(contents(disk)).as(what).containsExactlyInAnyOrderEntriesOf(before);
      return true;
    }
  }

  @Test
  void aDamagedBackupThatIsNotOpenedKeepsItsMark() {
    List<String> refused = new ArrayList<>();
    for (String file : contents(backup).keySet()) {
      if (file.equals("store.backup")) {
        continue;
      }
      for (StoreOptions options : WAYS) {
        for (boolean isRemoved : List.of(false, true)) {
          SimulatedDisk damaged = backup.fork();
          if (isRemoved) {
            damaged.remove(file);
          } else {
            damaged.truncate(file, 0);
          }
          if (isRefused(damaged, options, file + (isRemoved ? " removed" : " emptied"))) {
            refused.add(file);
          }
        }
      }
    }
    assertThat(refused).contains("store.howdah", "image", "image.sums");
    assertThat(refused).anyMatch(file -> file.startsWith("log/0/"));
  }

  /** The recovery has made a file by then, so this is no longer what the backup wrote. */
  @Test
  void aBackupWhoseRecoveryFailsWhileItWritesTheLogLosesItsMark() {
    SimulatedDisk failing = backup.fork();
    failing.inject(Fault.onNth(Operation.WRITE, 1).in("log/0/"));
    assertThatThrownBy(() -> Store.open(OPTIONS.withStorage(failing.storage())))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("log/0/");
    assertThat(failing.storage().list("log/0"))
        .hasSizeGreaterThan(backup.storage().list("log/0").size());
    assertThat(BackupMark.isIn(failing.storage())).isFalse();
  }

  @Test
  void aBackupThatLacksMemoryForItsRegionKeepsItsMark() {
    SimulatedDisk lacking = backup.fork();
    lacking.inject(Fault.onNth(Operation.MAP_PRIVATE, 1).forEver());
    assertThat(isRefused(lacking, OPTIONS, "no memory")).isTrue();
    lacking.clearFaults();
    assertThat(isRefused(lacking, OPTIONS, "memory again")).isFalse();
  }

  /** An opening that may write has the mark of a backup removed before it changes anything. */
  @Test
  void aMarkThatSurvivesACrashIsThatOfABackupAsItWasMade() {
    Map<String, byte[]> made = contents(backup);
    SimulatedDisk whole = backup.fork();
    long operations = -whole.operations();
    try (Store store = Store.open(OPTIONS.withStorage(whole.storage()))) {
      store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 1));
    }
    operations += whole.operations();
    assertThat(operations).isBetween(30L, 2000L);
    int marked = 0;
    for (CrashMoment moment : CrashMoment.values()) {
      for (long operation = OperationSample.first(moment); operation <= operations; operation++) {
        SimulatedDisk cut = backup.fork();
        cut.crashAtOperation(cut.operations() + operation, moment);
        try (Store store = Store.open(OPTIONS.withStorage(cut.storage()))) {
          store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 1));
        } catch (SimulatedCrash | StoreFailedException e) {
          // As it should be; an operation without a middle ends before or behind it.
        }
        for (CrashChoice choice : new CrashChoice[] {CrashChoice.LOSE_ALL, CrashChoice.KEEP_ALL}) {
          SimulatedDisk left = cut.fork();
          left.powerCut(choice);
          if (BackupMark.isIn(left.storage())) {
            marked++;
            assertThat(contents(left))
                .as("operation %d, %s, %s", operation, moment, choice)
                .containsExactlyInAnyOrderEntriesOf(made);
          }
        }
      }
    }
    assertThat(marked).as("crashes before the mark was removed").isPositive();
  }
}

package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.recovery.RecoveredStore;
import io.howdah.checkpoint.recovery.RecoveryOptions;
import io.howdah.checkpoint.recovery.StoreRecovery;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.store.open.OpeningMessages;
import io.howdah.store.open.StoreOpening;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the program's log tells of an opening. */
final class OpeningTellsTest {

  private static final int COMMITS = 12;
  private static final String MILLIS = " after \\d+\\.\\d ms";

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(1).withRingBytes(1 << 16);

  @TempDir private Path directory;

  @RegisterExtension
  private final HeardMessages messages = new HeardMessages("io.howdah.store", Level.FINE);

  private static SimulatedDisk left(boolean closed) {
    SimulatedDisk disk = SimulatedDisk.seeded(3);
    Store store = Store.open(OPTIONS.withStorage(disk.storage()));
    for (int i = 0; i < COMMITS; i++) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
    }
    SimulatedDisk left = disk.fork();
    store.close();
    return closed ? disk : left;
  }

  /** Opens a store, leaves it as a kill would, and returns the line of the opening. */
  private String line(SimulatedDisk disk, StoreOptions options) throws InterruptedException {
    OpeningMessages told = new OpeningMessages(Execution.system());
    new StoreOpening(disk.storage(), options.withStorage(disk.storage()).opening(), told)
        .open(
            opened -> {
              opened.onClose().close(false);
              return true;
            });
    told.write();
    return line();
  }

  private String line() throws InterruptedException {
    LogRecord told = messages.next();
    boolean isRoutine = told.getLoggerName().equals("io.howdah.store.opening");
    assertThat(told.getLevel()).isEqualTo(isRoutine ? Level.FINE : Level.INFO);
    return told.getMessage();
  }

  private static String memory(Backing backing) {
    return switch (backing) {
      case MAPPED -> "Its image is mapped in small pages";
      case RESIDENT -> "Its image was loaded into small pages";
      case SHARED, AUTO -> "Its image was loaded into memory that outlives this process";
    };
  }

  @ParameterizedTest
  @EnumSource
  void aKillIsToldWithWhatWasRedone(Backing backing) throws Exception {
    SimulatedDisk disk = left(false);
    disk.kill();
    assertThat(line(disk, OPTIONS.withBacking(backing)))
        .contains(" was recovered: the previous process ended without closing it")
        .contains("every commit that had returned is there, up to LSN " + (COMMITS + 1))
        .containsPattern("its rings were found, with \\d+ records in \\d+ bytes")
        .containsPattern("Redone: " + (COMMITS + 1) + " records with \\d+ words from \\d+ bytes")
        .contains("no journal was left to fold")
        .contains(memory(backing))
        .containsPattern("ready for the first write" + MILLIS);
  }

  @Test
  void aPowerCutIsToldToo() throws Exception {
    SimulatedDisk disk = left(false);
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(line(disk, OPTIONS))
        .contains("it was not closed and its rings cannot be used (")
        .contains("as after a power cut: every commit that was acknowledged as durable is there");
  }

  @ParameterizedTest
  @EnumSource
  void aCloseIsToldWithoutAnythingRedone(Backing backing) throws Exception {
    SimulatedDisk disk = left(true);
    disk.kill();
    assertThat(line(disk, OPTIONS.withBacking(backing)))
        .contains(" was opened: it had been closed, at LSN " + (COMMITS + 1) + ". ")
        .contains(memory(backing))
        .containsPattern("ready for the first write" + MILLIS)
        .doesNotContain("Redone");
    assertThat(messages.rest()).isEmpty();
  }

  @Test
  void aNewStoreIsToldAsCreated() throws Exception {
    assertThat(line(SimulatedDisk.seeded(3), OPTIONS))
        .contains(" was created. Its image is mapped in small pages")
        .doesNotContain("closed", "LSN");
    assertThat(messages.rest()).isEmpty();
  }

  @Test
  void anOpeningForReadingSaysThatNoFileWasChanged() throws Exception {
    SimulatedDisk disk = left(false);
    disk.kill();
    assertThat(line(disk, OPTIONS.withReadOnly(true)))
        .contains(
            " was recovered in memory for reading, and no file was changed: the previous"
                + " process")
        .containsPattern("ready for the first read" + MILLIS);
    assertThat(line(left(true), OPTIONS.withReadOnly(true)))
        .contains(" was opened for reading: it had been closed");
  }

  /** The superblock names no rings then, as after a close, but the log holds commits. */
  @Test
  void anOpeningThatWasKilledBeforeItAcceptedCommitsIsNotTakenForAClose() throws Exception {
    SimulatedDisk disk = left(false);
    disk.kill();
    try (Storage storage = disk.storage();
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      RecoveredStore recovered =
          StoreRecovery.recover(storage, Execution.system(), superblock, RecoveryOptions.DEFAULTS);
      recovered.replay().close();
      recovered.dirty().close();
      recovered.region().close();
    }
    disk.kill();
    assertThat(line(disk, OPTIONS))
        .contains(
            " was recovered: the opening before has accepted no commit, or was closed without")
        .contains("up to LSN " + (COMMITS + 1))
        .contains("Redone: " + (COMMITS + 1) + " records");
  }

  @Test
  void theProgramsLogHasItAtInfo() throws Exception {
    Path copy = directory.resolve("copy");
    Path root = directory.resolve("store");
    try (Store store = Store.open(root, OPTIONS)) {
      assertThat(line()).startsWith("store " + root.toRealPath() + " was created");
      store.run(tx -> tx.root(0, tx.allocate(8)));
      store.admin().backup(copy);
    }
    try (Store store = Store.open(root, OPTIONS)) {
      assertThat(line()).startsWith("store " + root.toRealPath() + " was opened: it had been");
      assertThat(store.admin().lastStop()).isEqualTo(LastStop.CLEAN);
    }
    Store.open(copy, OPTIONS).close();
    String recovered = line();
    assertThat(recovered).startsWith("store " + copy.toRealPath() + " was recovered");
    if (recovered.contains("is being recovered")) {
      assertThat(line())
          .startsWith("store " + copy.toRealPath() + ": all of its memory is recovered");
    } else {
      assertThat(recovered).contains("with all of its memory recovered");
    }
    assertThat(messages.rest()).isEmpty();
  }
}

package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.store.open.StoreOpening;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the program's log tells of an opening that followed no close. */
final class RecoveryMessageTest {

  private static final int COMMITS = 12;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(1).withRingBytes(1 << 16);

  @TempDir private Path directory;

  @RegisterExtension private final HeardMessages messages = new HeardMessages("io.howdah.store");

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

  private static List<String> notes(SimulatedDisk disk) {
    List<String> notes = new ArrayList<>();
    new StoreOpening(disk.storage(), OPTIONS.withStorage(disk.storage()).opening(), notes::add)
        .open(
            opened -> {
              opened.onClose().close(false);
              return true;
            });
    return notes.stream().filter(note -> !note.contains("keeps its rings")).toList();
  }

  @Test
  void aKillIsToldWithWhatWasRedone() {
    SimulatedDisk disk = left(false);
    disk.kill();
    assertThat(notes(disk))
        .singleElement()
        .asString()
        .contains("was recovered: the process before has ended without closing it")
        .contains("every commit that had returned is there, up to LSN " + (COMMITS + 1))
        .containsPattern("Redone: " + (COMMITS + 1) + " records with \\d+ words from \\d+ bytes")
        .containsPattern("in \\d+\\.\\d ms");
  }

  @Test
  void aPowerCutIsToldToo() {
    SimulatedDisk disk = left(false);
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(notes(disk)).singleElement().asString().contains("as after a power cut");
  }

  @Test
  void aCloseIsNotTold() {
    SimulatedDisk disk = left(true);
    disk.kill();
    assertThat(notes(disk)).isEmpty();
  }

  @Test
  void theProgramsLogHasItAtInfo() throws Exception {
    Path copy = directory.resolve("copy");
    try (Store store = Store.open(directory.resolve("store"), OPTIONS)) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
      store.admin().backup(copy);
    }
    assertThat(messages.rest()).isEmpty();
    Store.open(copy, OPTIONS).close();
    LogRecord told = messages.next();
    assertThat(told.getLevel()).isEqualTo(Level.INFO);
    assertThat(told.getMessage()).startsWith("store " + copy.toRealPath() + " was recovered");
    assertThat(messages.rest()).isEmpty();
  }
}

package io.howdah.crashtest.power;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What notes of calls make of a disk, with notes that the test writes. */
final class CallReplayTest {

  private static final int PAGE = 4096;

  @TempDir private Path folder;

  private final ByteBuffer notes = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
  private final SimulatedDisk disk = SimulatedDisk.seeded(1);

  private void note(int kind, int descriptor, long offset, long number, byte... bytes) {
    notes.putInt(kind).putInt(descriptor).putLong(offset).putLong(number).putLong(bytes.length);
    notes.put(bytes);
  }

  private void open(int descriptor, long how, String name) {
    note(1, descriptor, how, 0, name.getBytes(StandardCharsets.UTF_8));
  }

  private void write(int descriptor, int page) {
    note(3, descriptor, (long) page * PAGE, 0, new byte[] {1});
  }

  private long replay(int bytes) throws IOException {
    byte[] written = new byte[bytes];
    notes.get(0, written);
    try (Storage storage = disk.storage()) {
      return CallReplay.replay(Files.write(folder.resolve("notes"), written), storage);
    }
  }

  /** A file in a folder whose name is forced. */
  private void createFile() {
    open(3, 4, "");
    open(4, 1, "file");
    note(5, 3, 0, 1);
    note(6, 3, 0, 1);
  }

  @Test
  void aForceCoversWhatWasWrittenBeforeItBegan() throws IOException {
    createFile();
    write(4, 0);
    note(5, 4, 0, 2); // begins
    write(4, 1);
    note(6, 4, 0, 2); // has ended
    assertThat(replay(notes.position())).isEqualTo(2);
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.contents("file")).hasSize(1).containsOnly(1);
  }

  @Test
  void aForceThatHasNotEndedCoversNothing() throws IOException {
    createFile();
    write(4, 0);
    note(5, 4, 0, 2);
    assertThat(replay(notes.position())).isEqualTo(1);
    SimulatedDisk all = disk.fork();
    all.powerCut(CrashChoice.KEEP_ALL);
    assertThat(all.contents("file")).hasSize(1);
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.contents("file")).isEmpty();
  }

  @Test
  void aNoteThatIsThereInPartDidNotHappen() throws IOException {
    createFile();
    write(4, 0);
    assertThat(replay(notes.position() - 1)).isEqualTo(1);
    disk.powerCut(CrashChoice.KEEP_ALL);
    assertThat(disk.contents("file")).isEmpty();
  }

  @Test
  void notesThatContradictEachOtherAreRefusedByPlace() {
    createFile();
    int at = notes.position();
    write(9, 0);
    assertThatThrownBy(() -> replay(notes.position()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the note at " + at)
        .hasRootCauseMessage("descriptor 9 is not open");
  }
}

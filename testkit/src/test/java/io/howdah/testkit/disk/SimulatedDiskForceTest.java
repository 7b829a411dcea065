package io.howdah.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashUnit;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk is not too cruel: what was forced by the rules is there in every legal state. */
@Tag("scaled")
class SimulatedDiskForceTest {

  /** Of each disk so many states are looked at. */
  private static final int STATES = 500 / Integer.getInteger("howdah.stride", 5);

  private static void inEveryState(SimulatedDisk disk, Consumer<SimulatedDisk> check) {
    for (CrashChoice choice : disk.crashStates().choices(STATES)) {
      SimulatedDisk left = disk.fork();
      left.powerCut(choice);
      check.accept(left);
      SimulatedDisk shutDown = disk.fork();
      shutDown.fileSystemShutdown(choice);
      check.accept(shutDown);
    }
    disk.kill();
    check.accept(disk);
  }

  private static SimulatedDisk disk(CrashUnit unit) {
    return SimulatedDisk.builder(11).unit(unit).build();
  }

  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void aForcedFileInAForcedDirectoryIsThere(CrashUnit unit) {
    SimulatedDisk disk = disk(unit);
    Storage storage = disk.storage();
    storage.createDirectory("d");
    storage.forceDirectory("");
    StorageFile file = storage.create("d/f");
    file.write(0, Bytes.filled(10_000, 3));
    file.force();
    storage.forceDirectory("d");
    // Plenty of unforced company.
    storage.create("d/g").write(0, Bytes.filled(5000, 4));
    storage.create("h").write(0, Bytes.filled(5000, 4));
    storage.createDirectory("e");

    inEveryState(disk, d -> assertThat(d.contents("d/f")).isEqualTo(Bytes.array(10_000, 3)));
  }

  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void whatWasForcedStaysThoughItsNeighboursAreRewritten(CrashUnit unit) {
    SimulatedDisk disk = disk(unit);
    Bytes.durable(disk.storage(), "f", 16_384, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(4096, Bytes.filled(4096, 2));
    file.force();
    file.write(8192, Bytes.filled(4096, 3));
    file.write(0, Bytes.filled(4096, 3));

    inEveryState(
        disk,
        d -> {
          byte[] contents = d.contents("f");
          assertThat(contents).hasSize(16_384);
          for (int i = 4096; i < 8192; i++) {
            assertThat(contents[i]).isEqualTo((byte) 2);
          }
          for (int i = 12_288; i < 16_384; i++) {
            assertThat(contents[i]).isEqualTo((byte) 1);
          }
        });
  }

  @Test
  void aForcedRenameIsThere() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    Bytes.durable(disk.storage(), "f.new", 512, 2);
    disk.storage().rename("f.new", "f");
    disk.storage().forceDirectory("");
    disk.storage().create("g");

    inEveryState(
        disk,
        d -> {
          assertThat(d.contents("f")).isEqualTo(Bytes.array(512, 2));
          assertThat(d.storage().exists("f.new")).isFalse();
        });
  }

  @Test
  void aRenameBetweenDirectoriesIsThereOnceBothAreForced() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Storage storage = disk.storage();
    storage.createDirectory("d");
    Bytes.durable(storage, "f", 512, 1);
    storage.rename("f", "d/f");
    storage.forceDirectory("d");
    assertThat(disk.crashStates().atoms()).isOne();
    storage.forceDirectory("");
    inEveryState(disk, d -> assertThat(d.contents("d/f")).isEqualTo(Bytes.array(512, 1)));
  }

  @Test
  void aForcedDeleteStays() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    disk.storage().delete("f");
    disk.storage().forceDirectory("");
    inEveryState(disk, d -> assertThat(d.storage().exists("f")).isFalse());
  }

  @Test
  void aForcedLengthIsThere() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.setSize(1 << 20);
    file.force();
    inEveryState(
        disk,
        d -> {
          byte[] contents = d.contents("f");
          assertThat(contents).hasSize(1 << 20);
          assertThat(contents[511]).isEqualTo((byte) 1);
          assertThat(contents[512]).isZero();
        });
  }

  @Test
  void aShortenedFileStaysShortOnceForced() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 10_000, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.setSize(5000);
    file.force();
    file.setSize(6000);
    file.force();
    byte[] expected = new byte[6000];
    Arrays.fill(expected, 0, 5000, (byte) 1);
    inEveryState(disk, d -> assertThat(d.contents("f")).isEqualTo(expected));
  }

  @Test
  void anUntouchedFileIsNeverHurt() {
    SimulatedDisk disk = disk(CrashUnit.WORD);
    Bytes.durable(disk.storage(), "f", 512, 1);
    Bytes.durable(disk.storage(), "g", 512, 1);
    disk.storage().open("g", Access.READ_WRITE).write(0, Bytes.filled(512, 2));
    Region copy = disk.storage().mapPrivate("f", 512);
    copy.setLong(0, 77);
    copy.clear(8, 504);
    inEveryState(disk, d -> assertThat(d.contents("f")).isEqualTo(Bytes.array(512, 1)));
  }

  @Test
  void aReplacementByForceAndRenameIsAtomic() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 2048, 1);
    StorageFile next = disk.storage().create("f.new");
    next.write(0, Bytes.filled(2048, 2));
    next.force();
    disk.storage().rename("f.new", "f");
    inEveryState(
        disk, d -> assertThat(d.contents("f")).isIn(Bytes.array(2048, 1), Bytes.array(2048, 2)));
  }
}

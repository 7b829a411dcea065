package io.howdah.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk is not too kind: what breaks a rule loses data in some legal state. */
class SimulatedDiskLossTest {

  /** Returns what is seen of the disk in each of its legal states. */
  private static <T> List<T> afterPowerCuts(
      SimulatedDisk disk, int max, Function<SimulatedDisk, T> look) {
    List<T> seen = new ArrayList<>();
    for (CrashChoice choice : disk.crashStates().choices(max)) {
      SimulatedDisk left = disk.fork();
      left.powerCut(choice);
      seen.add(look.apply(left));
    }
    return seen;
  }

  private static int byteAt(SimulatedDisk disk, String file, int offset) {
    byte[] contents = disk.contents(file);
    return offset < contents.length ? contents[offset] : -1;
  }

  private static SimulatedDisk disk(CrashUnit unit) {
    return SimulatedDisk.builder(7).unit(unit).build();
  }

  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void anUnforcedWriteIsOldOrNewUnitByUnit(CrashUnit unit) {
    SimulatedDisk disk = disk(unit);
    Bytes.durable(disk.storage(), "f", 8192, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(0, Bytes.filled(2 * unit.bytes(), 2));

    List<List<Integer>> seen =
        afterPowerCuts(disk, 100, d -> List.of(byteAt(d, "f", 0), byteAt(d, "f", unit.bytes())));
    assertThat(seen)
        .containsExactlyInAnyOrder(List.of(1, 1), List.of(1, 2), List.of(2, 1), List.of(2, 2));
  }

  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void aUnitIsNeverTorn(CrashUnit unit) {
    SimulatedDisk disk = disk(unit);
    Bytes.durable(disk.storage(), "f", 8192, 1);
    disk.storage().open("f", Access.READ_WRITE).write(0, Bytes.filled(8192, 2));

    afterPowerCuts(
        disk,
        200,
        d -> {
          byte[] contents = d.contents("f");
          for (int i = 0; i < contents.length; i++) {
            assertThat(contents[i]).isEqualTo(contents[i - i % unit.bytes()]);
          }
          return true;
        });
  }

  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void everyIntermediateValueMayBeLeft(CrashUnit unit) {
    SimulatedDisk disk = disk(unit);
    Bytes.durable(disk.storage(), "f", 4096, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    for (int value = 2; value <= 5; value++) {
      file.write(0, Bytes.filled(8, value));
    }
    assertThat(afterPowerCuts(disk, 100, d -> byteAt(d, "f", 0)))
        .containsExactlyInAnyOrder(1, 2, 3, 4, 5);
  }

  @Test
  void intermediateValuesAreBoundedAndStillSpread() {
    SimulatedDisk disk = SimulatedDisk.builder(7).historyPerUnit(8).build();
    Bytes.durable(disk.storage(), "f", 4096, 0);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    for (int value = 1; value <= 100; value++) {
      file.write(0, Bytes.filled(8, value));
    }
    List<Integer> seen = afterPowerCuts(disk, 100, d -> byteAt(d, "f", 0));
    assertThat(seen).hasSize(10).contains(0, 100).doesNotHaveDuplicates();
  }

  @Test
  void closeDoesNotForce() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    try (StorageFile file = disk.storage().open("f", Access.READ_WRITE)) {
      file.write(0, Bytes.filled(512, 2));
    }
    disk.storage().close();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).contains(1);
  }

  @Test
  void aForceCoversOnlyItsOwnFile() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    Bytes.durable(disk.storage(), "g", 512, 1);
    disk.storage().open("f", Access.READ_WRITE).write(0, Bytes.filled(512, 2));
    StorageFile other = disk.storage().open("g", Access.READ_WRITE);
    other.write(0, Bytes.filled(512, 2));
    other.force();
    disk.storage().forceDirectory("");
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).contains(1);
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "g", 0))).containsOnly(2);
  }

  @Test
  void aForceCoversOnlyWhatWasWrittenBeforeItBegan() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.roundRobin(1));
    SimulatedDisk disk = SimulatedDisk.builder(7).execution(execution).build();
    Bytes.durable(disk.storage(), "f", 1024, 1);
    disk.setDelayNanos(1_000_000);
    execution.run(
        () -> {
          StorageFile file = disk.storage().open("f", Access.READ_WRITE);
          file.write(0, Bytes.filled(512, 2));
          Thread forcing = execution.spawn("forcing", file::force);
          while (disk.operations(Operation.FORCE) < 2) {
            execution.yieldNow();
          }
          file.write(0, Bytes.filled(512, 3));
          file.write(512, Bytes.filled(512, 3));
          execution.join(forcing);
        });
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).containsOnly(2, 3);
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 512))).containsOnly(1, 3);
  }

  @Test
  void aForceThatHasNotReturnedProvesNothing() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(0, Bytes.filled(512, 2));
    disk.crashAtOperation(disk.operations() + 1, CrashMoment.MIDDLE);
    assertThatThrownBy(file::force).isInstanceOf(SimulatedCrash.class);
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).containsExactly(1, 2);
  }

  @Test
  void aForceOfTheDirectoryDoesNotForceItsFiles() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    StorageFile file = disk.storage().create("f");
    file.write(0, Bytes.filled(512, 2));
    disk.storage().forceDirectory("");
    assertThat(afterPowerCuts(disk, 10, d -> d.contents("f").length)).contains(0, 512);
  }

  @Test
  void aNewFileNeedsItsDirectoryForced() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    StorageFile file = disk.storage().create("f");
    file.write(0, Bytes.filled(512, 2));
    file.force();
    assertThat(afterPowerCuts(disk, 10, d -> d.storage().exists("f"))).contains(true, false);
  }

  @Test
  void aNewDirectoryNeedsItsParentForced() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Storage storage = disk.storage();
    storage.createDirectory("d");
    StorageFile file = storage.create("d/f");
    file.force();
    storage.forceDirectory("d");
    assertThat(afterPowerCuts(disk, 10, d -> d.storage().exists("d/f"))).contains(true, false);
    storage.forceDirectory("");
    assertThat(afterPowerCuts(disk, 10, d -> d.storage().exists("d/f"))).containsOnly(true);
  }

  @Test
  void aRenameMayBeLostAndIsNeverHalfDone() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "old", 512, 1);
    Bytes.durable(disk.storage(), "new", 512, 2);
    disk.storage().rename("new", "old");
    List<String> seen =
        afterPowerCuts(disk, 10, d -> d.storage().list("") + " " + byteAt(d, "old", 0));
    assertThat(seen).containsExactlyInAnyOrder("[new, old] 1", "[old] 2");
  }

  @Test
  void changesOfNamesAreReordered() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "a", 512, 1);
    disk.storage().create("b");
    disk.storage().delete("a");
    Set<List<String>> seen = new HashSet<>(afterPowerCuts(disk, 10, d -> d.storage().list("")));
    assertThat(seen)
        .containsExactlyInAnyOrder(List.of("a"), List.of("a", "b"), List.of("b"), List.of());
  }

  @Test
  void aDeletedFileMayComeBackWithItsContents() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    disk.storage().delete("f");
    List<Integer> seen =
        afterPowerCuts(disk, 10, d -> d.storage().exists("f") ? byteAt(d, "f", 0) : -2);
    assertThat(seen).containsExactlyInAnyOrder(1, -2);
  }

  @Test
  void anExtensionMayBeLostOrZeroOrStale() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "dead", 512, 9);
    disk.storage().delete("dead");
    disk.storage().forceDirectory("");
    Bytes.durable(disk.storage(), "f", 0, 0);
    disk.storage().open("f", Access.READ_WRITE).write(0, Bytes.filled(512, 2));

    assertThat(new HashSet<>(afterPowerCuts(disk, 100, d -> byteAt(d, "f", 0))))
        .containsExactlyInAnyOrder(-1, 0, 2, 9);
  }

  @Test
  void aWholeStaleLapMayFollowWhatWasWritten() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    for (int lap = 8; lap <= 9; lap++) {
      Bytes.durable(disk.storage(), "dead", 16_384, lap);
      disk.storage().delete("dead");
      disk.storage().forceDirectory("");
    }
    Bytes.durable(disk.storage(), "f", 0, 0);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    for (int batch = 0; batch < 4; batch++) {
      file.write(batch * 4096L, Bytes.filled(4096, 2));
    }
    byte[] eight = Bytes.array(16_384, 8);
    byte[] nine = Bytes.array(16_384, 9);
    Arrays.fill(eight, 0, 4096, (byte) 2);
    Arrays.fill(nine, 0, 4096, (byte) 2);
    List<byte[]> seen = afterPowerCuts(disk, 5000, d -> d.contents("f"));
    assertThat(seen).anyMatch(s -> Arrays.equals(s, eight) || Arrays.equals(s, nine));
    assertThat(seen).contains(Bytes.array(16_384, 8)).contains(Bytes.array(16_384, 9));
  }

  @Test
  void aLengthMayBeKeptWithoutItsDataAndTheReverse() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(512, Bytes.filled(512, 2));
    file.write(0, Bytes.filled(512, 3));
    Set<List<Integer>> seen =
        new HashSet<>(
            afterPowerCuts(disk, 100, d -> List.of(byteAt(d, "f", 0), byteAt(d, "f", 512))));
    assertThat(seen).contains(List.of(1, -1), List.of(3, -1), List.of(1, 2), List.of(3, 0));
  }

  @Test
  void aRecycledFileShowsItsPreviousLap() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 4096, 1);
    disk.storage().open("f", Access.READ_WRITE).write(0, Bytes.filled(4096, 2));
    assertThat(afterPowerCuts(disk, 300, d -> List.of(byteAt(d, "f", 0), byteAt(d, "f", 512))))
        .contains(List.of(2, 1), List.of(1, 2));
  }

  @Test
  void aFailedForceProvesNothingForEver() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(0, Bytes.filled(512, 2));
    disk.inject(Fault.onNth(Operation.FORCE, 1));
    assertThatThrownBy(file::force).isInstanceOf(StorageException.class);
    file.force();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).contains(1, 2);

    file.write(0, Bytes.filled(512, 3));
    file.force();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).contains(1, 2, 3);

    disk.kill();
    StorageFile reopened = disk.storage().open("f", Access.READ_WRITE);
    reopened.force();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).contains(1);
  }

  @Test
  void aUnitLeftUnknownIsKnownAgainOnceRewrittenIfTheDiskSaysSo() {
    SimulatedDisk disk =
        SimulatedDisk.builder(7).failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN).build();
    Bytes.durable(disk.storage(), "f", 512, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(0, Bytes.filled(512, 2));
    disk.inject(Fault.onNth(Operation.FORCE, 1));
    assertThatThrownBy(file::force).isInstanceOf(StorageException.class);
    file.force();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).contains(1, 2);
    file.write(0, Bytes.filled(512, 3));
    file.force();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "f", 0))).containsOnly(3);
  }

  @Test
  void aFailedForceOfADirectoryProvesNothing() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    disk.storage().create("f");
    disk.inject(Fault.onNth(Operation.FORCE_DIRECTORY, 1));
    assertThatThrownBy(() -> disk.storage().forceDirectory(""))
        .isInstanceOf(StorageException.class);
    disk.storage().forceDirectory("");
    assertThat(afterPowerCuts(disk, 10, d -> d.storage().exists("f"))).contains(true, false);
  }

  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void aStoreToASharedMappingSurvivesTheProcessAndNotTheMachine(CrashUnit unit) {
    SimulatedDisk disk = disk(unit);
    Bytes.durable(disk.storage(), "ring", 8192, 0);
    Region ring = disk.storage().mapShared("ring", 8192);
    ring.setLong(4096, 1);
    ring.setLongRelease(4096, 2);
    ring.getAndAddLong(4096, 1);
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "ring", 4096)))
        .containsExactlyInAnyOrder(0, 1, 2, 3);

    disk.kill();
    assertThatThrownBy(() -> ring.getLong(0)).isInstanceOf(SimulatedCrash.class);
    assertThat(byteAt(disk, "ring", 4096)).isEqualTo(3);
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "ring", 4096))).contains(0);

    StorageFile file = disk.storage().open("ring", Access.READ_WRITE);
    file.force();
    assertThat(afterPowerCuts(disk, 10, d -> byteAt(d, "ring", 4096))).containsOnly(3);
  }

  @Test
  void aVolatilePlaceLivesAsLongAsTheMachine() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    var boot = disk.storage().boot();
    Bytes.durable(disk.storage().volatilePlace("p", true, 4096).orElseThrow(), "ring", 512, 5);

    disk.kill();
    assertThat(placeHolds(disk)).isTrue();
    assertThat(disk.storage().boot()).isEqualTo(boot);

    disk.fileSystemShutdown(CrashChoice.LOSE_ALL);
    assertThat(placeHolds(disk)).isTrue();
    assertThat(disk.storage().boot()).isEqualTo(boot);

    SimulatedDisk replaced = disk.fork();
    replaced.replaceContainer();
    assertThat(placeHolds(replaced)).isFalse();
    assertThat(replaced.storage().boot()).isEqualTo(boot);

    disk.powerCut(CrashChoice.KEEP_ALL);
    assertThat(placeHolds(disk)).isFalse();
    assertThat(disk.storage().boot()).isNotEqualTo(boot);
  }

  private static boolean placeHolds(SimulatedDisk disk) {
    return disk.storage().volatilePlace("p", false, 0).map(s -> s.exists("ring")).orElse(false);
  }

  @Test
  void aFileSystemShutdownLosesWhatIsUnforced() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 512, 1);
    disk.storage().open("f", Access.READ_WRITE).write(0, Bytes.filled(512, 2));
    disk.fileSystemShutdown(CrashChoice.LOSE_ALL);
    assertThat(byteAt(disk, "f", 0)).isEqualTo(1);
  }

  @Test
  void whatAPowerCutLeftIsDurable() {
    SimulatedDisk disk = disk(CrashUnit.SECTOR);
    Bytes.durable(disk.storage(), "f", 1024, 1);
    disk.storage().open("f", Access.READ_WRITE).write(0, Bytes.filled(1024, 2));
    disk.powerCut(disk.crashStates().choice(1));
    byte[] left = disk.contents("f");
    assertThat(disk.crashStates().atoms()).isZero();
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.contents("f")).isEqualTo(left);
  }
}

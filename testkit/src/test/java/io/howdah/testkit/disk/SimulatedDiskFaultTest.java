package io.howdah.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every fault strikes where it was asked for, and as a real system reports it. */
class SimulatedDiskFaultTest {

  private static final long ONES = 0x0101010101010101L;

  private final SimulatedDisk disk = SimulatedDisk.seeded(5);
  private final Storage storage = disk.storage();

  private static void assertFails(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  /** One call for each kind of operation, on a disk that holds a file f. */
  private static void call(Operation operation, Storage storage) {
    Consumer<Storage> act =
        switch (operation) {
          case EXISTS -> s -> s.exists("f");
          case LIST -> s -> s.list("");
          case CREATE_DIRECTORY -> s -> s.createDirectory("d");
          case CREATE -> s -> s.create("g");
          case OPEN -> s -> s.open("f", Access.READ);
          case RENAME -> s -> s.rename("f", "g");
          case DELETE -> s -> s.delete("f");
          case FORCE_DIRECTORY -> s -> s.forceDirectory("");
          case LOCK -> s -> s.lock("me");
          case MAP_SHARED -> s -> s.mapShared("f", 512);
          case MAP_PRIVATE -> s -> s.mapPrivate("f", 1024);
          case ALLOCATE -> s -> s.allocate(512);
          case IDENTITY -> s -> s.identity("f");
          case READ -> s -> s.open("f", Access.READ).read(0, Bytes.empty(512));
          case WRITE -> s -> s.open("f", Access.READ_WRITE).write(0, Bytes.filled(512, 2));
          case SET_SIZE -> s -> s.open("f", Access.READ_WRITE).setSize(1024);
          case FORCE -> s -> s.open("f", Access.READ_WRITE).force();
        };
    act.accept(storage);
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void everyOperationFailsOnRequestOnceOrForEver(Operation operation) {
    Bytes.durable(storage, "f", 512, 1);
    disk.inject(Fault.onNth(operation, 1).with(Reason.NO_MEMORY));
    assertFails(Reason.NO_MEMORY, () -> call(operation, storage));
    call(operation, storage);
    disk.kill();

    SimulatedDisk other = SimulatedDisk.seeded(6);
    Bytes.durable(other.storage(), "f", 512, 1);
    other.inject(Fault.onNth(operation, 1).forEver());
    for (int i = 0; i < 3; i++) {
      assertFails(Reason.IO, () -> call(operation, other.storage()));
    }
    other.clearFaults();
    call(operation, other.storage());
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void theProcessDiesBeforeAnOperationOrAfterIt(Operation operation) {
    for (CrashMoment moment : CrashMoment.values()) {
      SimulatedDisk mortal = SimulatedDisk.seeded(6);
      Storage dying = mortal.storage();
      Bytes.durable(dying, "f", 512, 1);
      SimulatedDisk counted = mortal.fork();
      call(operation, counted.storage());
      mortal.crashAtOperation(mortal.operations() + counted.operations(), moment);
      assertThatThrownBy(() -> call(operation, dying)).isInstanceOf(SimulatedCrash.class);
      assertThat(mortal.hasCrashed()).isTrue();
      assertThatThrownBy(() -> dying.exists("f")).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> mortal.storage().exists("f")).isInstanceOf(SimulatedCrash.class);
      mortal.kill();
      assertThat(mortal.hasCrashed()).isFalse();
      mortal.storage().list("");
    }
  }

  @Test
  void aWriteDiesInItsMiddleWithAPartDone() {
    Bytes.durable(storage, "f", 4096, 1);
    StorageFile file = storage.open("f", Access.READ_WRITE);
    disk.crashAtOperation(disk.operations() + 1, CrashMoment.MIDDLE);
    assertThatThrownBy(() -> file.write(0, Bytes.filled(4096, 2)))
        .isInstanceOf(SimulatedCrash.class);
    disk.kill();
    assertThat(disk.contents("f")).contains((byte) 1).contains((byte) 2);
  }

  @Test
  void aFailedWriteHasWrittenAPart() {
    Bytes.durable(storage, "f", 4096, 1);
    StorageFile file = storage.open("f", Access.READ_WRITE);
    disk.inject(Fault.onNth(Operation.WRITE, 2));
    file.write(0, Bytes.filled(512, 1));
    assertFails(Reason.IO, () -> file.write(0, Bytes.filled(4096, 2)));
    assertThat(disk.contents("f")).contains((byte) 1).contains((byte) 2);
  }

  @Test
  void aPlannedFaultStrikesOnceOrForEverOrFillsTheDisk() {
    StorageFile file = storage.create("f");
    long next = disk.operations() + 1;
    disk.disturbAt(new CrashPoint(CrashPoint.Where.FAULT, next, CrashMoment.BEFORE));
    assertFails(Reason.IO, () -> file.write(0, Bytes.filled(512, 1)));
    file.write(0, Bytes.filled(512, 1));

    next = disk.operations() + 1;
    disk.disturbAt(new CrashPoint(CrashPoint.Where.FAULTS, next, CrashMoment.BEFORE));
    assertFails(Reason.IO, () -> file.write(0, Bytes.filled(512, 1)));
    file.force();
    assertFails(Reason.IO, () -> file.write(0, Bytes.filled(512, 1)));

    next = disk.operations() + 1;
    disk.disturbAt(new CrashPoint(CrashPoint.Where.FULL, next, CrashMoment.BEFORE));
    assertFails(Reason.NO_SPACE, () -> file.write(0, Bytes.filled(8192, 1)));
    file.write(0, Bytes.filled(512, 1));
    file.force();
    assertFails(Reason.NO_SPACE, () -> storage.create("g"));
    assertThat(storage.usableBytes()).isZero();

    disk.kill();
    disk.storage().create("g").write(0, Bytes.filled(8192, 1));
  }

  @Test
  void aFaultMayBeForSomeFilesOnly() {
    disk.inject(Fault.onNth(Operation.CREATE, 1).in("log").forEver());
    storage.create("image");
    assertFails(Reason.IO, () -> storage.create("log1"));
    storage.create("image2");
  }

  @Test
  void aFullDiskStopsAWriteInItsMiddle() {
    StorageFile file = storage.create("f");
    disk.setFreeBytes(8192);
    assertThat(storage.usableBytes()).isEqualTo(8192);
    assertFails(Reason.NO_SPACE, () -> file.write(0, Bytes.filled(20_000, 1)));
    assertThat(file.sizeBytes()).isEqualTo(8192);
    file.write(0, Bytes.filled(8192, 2));
    storage.delete("f");
    storage.create("g").write(0, Bytes.filled(8192, 1));
  }

  @Test
  void aFullDiskUnderAMappingIsAnInternalError() {
    StorageFile file = storage.create("f");
    file.setSize(8192);
    file.write(0, Bytes.filled(4096, 1));
    disk.setFreeBytes(0);
    Region region = storage.mapShared("f", 8192);
    region.setLong(0, 1);
    assertThatThrownBy(() -> region.setLong(4096, 1)).isInstanceOf(InternalError.class);
  }

  @Test
  void aFileTruncatedUnderAMappingIsAnInternalError() {
    Bytes.durable(storage, "f", 8192, 1);
    Region region = storage.mapShared("f", 8192);
    disk.truncate("f", 4096);
    region.setLong(0, 1);
    assertThatThrownBy(() -> region.getLong(4096)).isInstanceOf(InternalError.class);
  }

  @Test
  void filesAreDamagedFromOutside() {
    Bytes.durable(storage, "f", 8192, 1);
    disk.flipBit("f", 5000, 3);
    assertThat(disk.contents("f")[5000]).isEqualTo((byte) 9);
    disk.remove("f");
    assertThat(storage.exists("f")).isFalse();
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.storage().exists("f")).isFalse();
  }

  /** As storages of files do, where memory behind the used part need not be the file's. */
  @Test
  void theUnusedPartOfAPrivateMappingIsTheFilesOrMemory() {
    Set<Long> seen = new HashSet<>();
    for (int seed = 0; seed < 16; seed++) {
      SimulatedDisk drawn = SimulatedDisk.seeded(seed);
      Bytes.durable(drawn.storage(), "f", 8192, 1);
      Region image = drawn.storage().mapPrivate("f", 12288, 8);
      assertThat(image.getLong(4088)).isEqualTo(ONES);
      assertThat(image.getLong(8192)).isZero();
      seen.add(image.getLong(4096));
      image.setLong(4104, 5);
      assertThat(image.getLong(4104)).isEqualTo(5);
      assertThat(image.getLong(4112)).isEqualTo(image.getLong(4096));
      assertThat(drawn.contents("f")).startsWith(Bytes.array(8192, 1)).hasSize(12288);
      assertThat(drawn.storage().mapPrivate("f", 12288).getLong(4096)).isEqualTo(ONES);
    }
    assertThat(seen).containsExactlyInAnyOrder(0L, ONES);
  }

  @Test
  void aReadOnlyDiskRefusesChanges() {
    Bytes.durable(storage, "f", 512, 1);
    disk.setReadOnly(true);
    assertThat(storage.isReadOnly()).isTrue();
    assertFails(Reason.ACCESS_DENIED, () -> storage.create("g"));
    assertFails(Reason.ACCESS_DENIED, () -> storage.delete("f"));
    assertFails(Reason.ACCESS_DENIED, () -> storage.rename("f", "g"));
    assertFails(Reason.ACCESS_DENIED, () -> storage.createDirectory("d"));
    assertFails(Reason.ACCESS_DENIED, () -> storage.open("f", Access.READ_WRITE));
    assertThat(storage.open("f", Access.READ).read(0, Bytes.empty(1024))).isEqualTo(512);
    Region image = storage.mapPrivate("f", 1024);
    image.setLong(8, 5);
    assertThat(image.getLong(512)).isZero();
    assertThat(disk.contents("f")).isEqualTo(Bytes.array(512, 1));
  }

  @Test
  void oneHolderAtATimeHasTheLock() {
    StorageLock lock = storage.lock("first");
    assertThatThrownBy(() -> disk.storage().lock("second"))
        .isInstanceOf(StoreLockedException.class)
        .hasMessageContaining("first");
    assertThat(lock.isHeld()).isTrue();
    disk.stealLock();
    assertThat(lock.isHeld()).isFalse();
    StorageLock second = disk.storage().lock("second");
    disk.kill();
    assertThatThrownBy(second::isHeld).isInstanceOf(SimulatedCrash.class);
    disk.storage().lock("third").close();
    disk.setForeignLock("somebody else");
    assertThatThrownBy(() -> disk.storage().lock("fourth"))
        .isInstanceOf(StoreLockedException.class)
        .hasMessageContaining("somebody else");
    disk.setForeignLock(null);
    disk.storage().lock("fifth");
  }

  @Test
  void everythingOpenDiesWithItsProcess() {
    Bytes.durable(storage, "f", 512, 1);
    StorageFile file = storage.open("f", Access.READ_WRITE);
    Region shared = storage.mapShared("f", 512);
    Region copy = storage.mapPrivate("f", 512);
    Region memory = storage.allocate(512);
    disk.kill();
    for (ThrowingCallable call :
        new ThrowingCallable[] {
          file::force,
          () -> file.write(0, Bytes.empty(8)),
          () -> shared.setLong(0, 1),
          () -> copy.getLong(0),
          () -> memory.getLong(0),
          () -> storage.exists("f"),
          () -> storage.boot()
        }) {
      assertThatThrownBy(call).isInstanceOf(SimulatedCrash.class);
    }
  }

  /** Another thread may use the disk between the question for the number and the order. */
  @Test
  void theProcessDiesAtTheNextOperationOrStoreIfTheNumberIsPast() {
    Bytes.durable(storage, "f", 4096, 0);
    Region shared = disk.storage().mapShared("f", 4096);
    shared.setLong(0, 1);
    disk.crashAtStore(disk.stores(), CrashMoment.AFTER);
    assertThatThrownBy(() -> shared.setLong(8, 2)).isInstanceOf(SimulatedCrash.class);
    disk.kill();
    assertThat(disk.contents("f")[8]).isEqualTo((byte) 2);
    disk.crashAtOperation(disk.operations(), CrashMoment.BEFORE);
    assertThatThrownBy(() -> disk.storage().exists("f")).isInstanceOf(SimulatedCrash.class);
    disk.kill();
    disk.crashAtOperation(disk.operations(), CrashMoment.BEFORE);
    disk.crashAtOperation(-1, CrashMoment.BEFORE);
    assertThat(disk.storage().exists("f")).isTrue();
  }

  @Test
  void theProcessDiesAtAStore() {
    Bytes.durable(storage, "f", 4096, 0);
    for (CrashMoment moment : CrashMoment.values()) {
      Region shared = disk.storage().mapShared("f", 4096);
      shared.clear(0, 4096);
      disk.crashAtStore(disk.stores() + 2, moment);
      shared.setLong(0, 1);
      assertThatThrownBy(() -> shared.copyFrom(8, Bytes.filled(2048, 2)))
          .isInstanceOf(SimulatedCrash.class);
      disk.kill();
      byte[] left = disk.contents("f");
      assertThat(left[0]).isEqualTo((byte) 1);
      int copied = 0;
      for (byte b : left) {
        copied += b == 2 ? 1 : 0;
      }
      switch (moment) {
        case BEFORE -> assertThat(copied).isZero();
        case MIDDLE -> assertThat(copied).isBetween(8, 2040);
        case AFTER -> assertThat(copied).isEqualTo(2048);
      }
    }
  }

  @Test
  void directAccessIsAligned() {
    Bytes.durable(storage, "f", 4096, 1);
    StorageFile file = storage.open("f", Access.DIRECT);
    assertThat(file.alignmentBytes()).isEqualTo(512);
    file.write(512, Bytes.filled(1024, 2));
    assertThatThrownBy(() -> file.write(8, Bytes.filled(512, 2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> file.write(0, Bytes.filled(100, 2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> file.read(0, java.nio.ByteBuffer.allocate(512)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void regionsCheckWhatTheContractSays() {
    Region region = storage.allocate(64);
    assertThatThrownBy(() -> region.getLong(4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> region.getLong(64)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> region.setLong(-8, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> region.clear(8, 64)).isInstanceOf(IndexOutOfBoundsException.class);
    region.close();
    assertThatThrownBy(() -> region.getLong(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void equalRunsHaveEqualHashes() {
    long[] hashes = new long[3];
    for (int run = 0; run < 3; run++) {
      SimulatedDisk d = SimulatedDisk.seeded(9);
      Bytes.durable(d.storage(), "f", 4096, run / 2);
      d.storage().mapShared("f", 4096).setLong(0, 5);
      hashes[run] = d.traceHash();
    }
    assertThat(hashes[0]).isEqualTo(hashes[1]).isNotEqualTo(hashes[2]);
  }
}

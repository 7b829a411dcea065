package io.howdah.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.StoreId;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where rings are made, and what becomes of a place that is no use. */
class RingDirectoryTest {

  private static final long NONCE = 4711;
  private static final RingPlacement IN_STORE = new RingPlacement.StoreDirectory(NONCE);

  private static Superblock superblock(long generation, StoreId id) {
    return new Superblock(
        id,
        0,
        new Geometry(2, RingLayout.MIN_CAPACITY, 1 << 20, 1024, 32, 4096),
        1,
        generation,
        0,
        false,
        new RingPlacement.None(),
        new LogState(1, 1, 1),
        CheckpointState.NONE,
        List.of());
  }

  private static Superblock superblock(long generation) {
    return superblock(generation, new StoreId(1, 2));
  }

  private static SimulatedDisk disk() {
    SimulatedDisk disk = SimulatedDisk.seeded(3);
    prepare(disk.storage());
    return disk;
  }

  private static void prepare(Storage storage) {
    storage.createDirectory(RingDirectory.DIRECTORY);
    storage.create(SuperblockFile.NAME).close();
    storage.forceDirectory("");
  }

  private static RingDirectory create(Storage storage, Superblock superblock) {
    LogStart start = new LogStart(1, 2, superblock.generation(), 0, 1, List.of(), List.of(), 1);
    return RingDirectory.create(storage, superblock, start, NONCE, false);
  }

  @Test
  void ringsLieInAVolatilePlaceIfThereIsOne() {
    Storage storage = disk().storage();
    Superblock superblock = superblock(1);
    RingDirectory place = create(storage, superblock);
    String name = RingDirectory.name(storage, superblock);
    assertThat(place.placement()).isEqualTo(new RingPlacement.VolatilePlace(name, NONCE));
    assertThat(storage.volatilePlace(name, false, 0).orElseThrow().list(""))
        .containsExactly("0", "1");
    place.rings().close();
    place.delete();
    place.close();
    assertThat(storage.volatilePlace(name, false, 0)).isEmpty();
  }

  @Test
  void whatAnEarlierOpeningLeftUnderTheNameGoes() {
    Storage storage = disk().storage();
    create(storage, superblock(1)).close();
    create(storage, superblock(3)).close();
    String name = RingDirectory.name(storage, superblock(1));
    assertThat(RingDirectory.name(storage, superblock(3))).isEqualTo(name);
    assertThat(RingDirectory.name(storage, superblock(2))).isNotEqualTo(name);
  }

  @Test
  void ringsOfADeletedStoreGoWhereItsSuperblockIsAnotherStores(
      @TempDir Path directory, @TempDir Path elsewhere) throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/shm")), "no /dev/shm");
    Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "howdah-test-");
    FileStorageOptions options = FileStorageOptions.DEFAULT.withVolatileDirectory(memory);
    Superblock deleted = superblock(1, new StoreId(1, 1));
    Superblock other = superblock(1, new StoreId(2, 2));
    Superblock next = superblock(1, new StoreId(3, 3));
    try (Storage storage = FileStorage.open(directory, options);
        Storage otherStorage = FileStorage.open(elsewhere, options)) {
      prepare(storage);
      prepare(otherStorage);
      create(storage, deleted).close(); // killed; and the next store got the file's inode
      create(otherStorage, other).close(); // killed, or moved, or deleted: nobody can tell
      try (RingDirectory place = create(storage, next)) {
        assertThat(storage.volatilePlaces())
            .containsExactlyInAnyOrder(
                RingDirectory.name(storage, next), RingDirectory.name(otherStorage, other));
        place.rings().close();
        place.delete();
      }
      RingDirectory.remove(
          otherStorage,
          other
              .change()
              .withRings(
                  new RingPlacement.VolatilePlace(RingDirectory.name(otherStorage, other), NONCE))
              .build());
      assertThat(storage.volatilePlaces()).isEmpty();
    } finally {
      Files.delete(memory);
    }
  }

  @Test
  void aFullPlaceIsNone() {
    SimulatedDisk disk = disk();
    for (int write = 1; write <= 2; write++) {
      disk.inject(
          Fault.onNth(Operation.WRITE, write)
              .with(StorageException.Reason.NO_SPACE)
              .forEver()
              .in("howdah-"));
      RingDirectory place = create(disk.storage(), superblock(write));
      assertThat(place.placement()).isEqualTo(IN_STORE);
      place.close();
      disk.clearFaults();
      String name = RingDirectory.name(disk.storage(), superblock(write));
      assertThat(disk.storage().volatilePlace(name, false, 0)).isEmpty();
    }
  }

  @Test
  void aPlaceOfAnotherUserIsNotUsed(@TempDir Path directory, @TempDir Path other)
      throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/shm")), "no /dev/shm to squat in");
    SplittableRandom random = new SplittableRandom();
    StoreId id = new StoreId(random.nextLong(), random.nextLong());
    try (Storage storage = FileStorage.open(directory)) {
      prepare(storage);
      Superblock superblock = superblock(1, id);
      Path squatted = Path.of("/dev/shm", RingDirectory.name(storage, superblock));
      Files.createSymbolicLink(squatted, other);
      try (RingDirectory place = create(storage, superblock)) {
        assertThat(place.placement()).isEqualTo(IN_STORE);
        assertThat(storage.list(RingDirectory.DIRECTORY)).containsExactly("0", "1");
        assertThat(other).isEmptyDirectory();
      } finally {
        Files.delete(squatted);
      }
    }
  }

  @Test
  void onlyTheOwnPlaceIsRemoved() {
    Storage storage = disk().storage();
    Superblock superblock = superblock(1);
    create(storage, superblock).close();
    String own = RingDirectory.name(storage, superblock);
    storage.volatilePlace("howdah-of-another", true, 0).orElseThrow().close();
    RingDirectory.remove(
        storage,
        superblock
            .change()
            .withRings(new RingPlacement.VolatilePlace("howdah-of-another", NONCE))
            .build());
    assertThat(storage.volatilePlace("howdah-of-another", false, 0)).isPresent();
    assertThat(storage.volatilePlace(own, false, 0)).isPresent();
    RingDirectory.remove(
        storage,
        superblock.change().withRings(new RingPlacement.VolatilePlace(own, NONCE)).build());
    assertThat(storage.volatilePlace(own, false, 0)).isEmpty();
  }

  @Test
  void theNameOutlivesCrashes() {
    SimulatedDisk disk = disk();
    String name = RingDirectory.name(disk.storage(), superblock(1));
    disk.kill();
    assertThat(RingDirectory.name(disk.storage(), superblock(1))).isEqualTo(name);
  }

  @Test
  void ringsOfAnEarlierOpeningUnderTheNameAreGoneBeforeNewOnesAreMade() {
    Storage storage = disk().storage();
    create(storage, superblock(1)).close();
    String name = RingDirectory.name(storage, superblock(1));
    storage.volatilePlace(name, false, 0).orElseThrow().create("7").close();
    try (RingDirectory place = create(storage, superblock(3))) {
      assertThat(storage.volatilePlace(name, false, 0).orElseThrow().list(""))
          .containsExactly("0", "1");
      assertThat(place.rings().partitions()).isEqualTo(2);
    }
  }

  @Test
  void ringsInTheStoresDirectoryAreDeletedWithTheirOpeningAndWithTheStores() {
    SimulatedDisk disk = disk();
    Storage storage = disk.storage();
    disk.inject(
        Fault.onNth(Operation.WRITE, 1)
            .with(StorageException.Reason.NO_SPACE)
            .forEver()
            .in("howdah-"));
    RingDirectory place = create(storage, superblock(1));
    assertThat(place.placement()).isEqualTo(IN_STORE);
    assertThat(storage.list(RingDirectory.DIRECTORY)).containsExactly("0", "1");
    place.rings().close();
    place.delete();
    assertThat(storage.list(RingDirectory.DIRECTORY)).isEmpty();

    create(storage, superblock(2)).close();
    RingDirectory.remove(storage, superblock(2).change().withRings(IN_STORE).build());
    assertThat(storage.list(RingDirectory.DIRECTORY)).isEmpty();
  }

  @Test
  void aClosedDirectoryHasItsRingsUnmapped() {
    RingDirectory place = create(disk().storage(), superblock(1));
    Ring ring = place.rings().rings().getFirst();
    place.close();
    assertThatThrownBy(ring::tail).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void generationsByTurnsHaveNamesThatTellThemApart() {
    Storage storage = disk().storage();
    assertThat(RingDirectory.name(storage, superblock(2))).endsWith("-a");
    assertThat(RingDirectory.name(storage, superblock(3))).endsWith("-b");
  }
}

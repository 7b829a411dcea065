package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.UnfinishedStore;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory of a node: created, opened, and refused with a reason. */
class ReplicaFilesTest {

  private static final StoreId ID = new StoreId(1, 2);
  private static final long WORD = RegionHeaderLayout.ROOTS_ADDRESS;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(RingLayout.MIN_CAPACITY)
          .withOrecs(1 << 10);

  @TempDir private Path directory;

  private Path node() {
    return directory.resolve("node");
  }

  private void create() {
    try (Storage storage = FileStorage.open(node())) {
      ReplicaNode.create(storage, ID, OPTIONS);
    }
  }

  @Test
  void aPlainOpeningRefusesTheDirectoryOfANode() {
    create();
    for (StoreOptions options : new StoreOptions[] {OPTIONS, OPTIONS.withReadOnly(true)}) {
      assertThatThrownBy(() -> Store.open(node(), options))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("belongs to a node of replica group " + ID)
          .hasMessageContaining("ReplicatedStore.open");
    }
  }

  @Test
  void toolsForPlainStoresRefuseTheDirectoryOfANode() {
    create();
    Path target = directory.resolve("target");
    assertThatThrownBy(() -> StoreBackups.check(node()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("replica group");
    assertThatThrownBy(() -> StoreBackups.restore(node(), target, OptionalLong.empty()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("replica group");
    assertThatThrownBy(() -> StoreBackups.compact(node()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("replica group");
    assertThatThrownBy(() -> StoreBackups.acceptRollback(node()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("replica group");
  }

  private void requireRefused(StoreId id, StoreOptions options, Class<?> type, String message) {
    try (Storage storage = FileStorage.open(node())) {
      assertThatThrownBy(() -> ReplicaFiles.open(storage, id, options))
          .isInstanceOf(type)
          .hasMessageContaining(message);
    }
  }

  @Test
  void aNodeRefusesAPlainStore() {
    Store.open(node(), OPTIONS).close();
    requireRefused(ID, OPTIONS, UnsupportedStoreException.class, "holds a plain store");
  }

  @Test
  void aNodeRefusesTheDirectoryOfAnotherGroup() {
    create();
    StoreId other = new StoreId(1, 3);
    requireRefused(
        other,
        OPTIONS,
        UnsupportedStoreException.class,
        "belongs to replica group " + ID + ", not to " + other);
  }

  @Test
  void aNodeRefusesAnEmptyDirectory() {
    requireRefused(ID, OPTIONS, UnsupportedStoreException.class, "there is no store in");
  }

  @Test
  void aNodeRefusesOtherDimensions() {
    create();
    for (StoreOptions options :
        new StoreOptions[] {
          OPTIONS.withMaxSize(1 << 19),
          OPTIONS.withPartitions(4),
          OPTIONS.withRingBytes(2 * RingLayout.MIN_CAPACITY)
        }) {
      requireRefused(ID, options, IllegalArgumentException.class, "have one geometry");
    }
  }

  @Test
  void aDirectoryWithAStoreIsNotMadeANode() {
    create();
    assertThatThrownBy(this::create).isInstanceOf(StorageException.class);
  }

  @Test
  void aCheckpointKeepsWordsAndPlace() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Storage storage = disk.storage();
    ReplicaNode.create(storage, ID, OPTIONS);
    RingPlacement.Replica place = new RingPlacement.Replica(2, 7, 3, 99, 4, 5, 17);
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      assertThat(files.place()).isEqualTo(RingPlacement.Replica.START);
      files.region().setLong(WORD, 42);
      files.dirty().markIn(files.dirty().currentMap(), files.dirty().pageOf(WORD));
      files.checkpoint(place);
      files.region().setLong(WORD, 43); // after the checkpoint, so it is of this life only
    }
    CrashStates states = disk.crashStates();
    for (long index = 0; index < states.count(); index++) {
      SimulatedDisk left = disk.fork();
      left.powerCut(states.choice(index));
      try (ReplicaFiles files = ReplicaFiles.open(left.storage(), ID, OPTIONS)) {
        assertThat(files.place()).isEqualTo(place);
        assertThat(files.imageLsn()).isEqualTo(17);
        assertThat(files.region().getLong(WORD)).isEqualTo(42);
      }
    }
  }

  @Test
  void aCheckpointThatIsCutOffAnywhereLeavesTheOldPlaceOrTheNewOne() {
    RingPlacement.Replica place = new RingPlacement.Replica(2, 7, 3, 99, 4, 5, 17);
    int olds = 0;
    int news = 0;
    for (long operation = 1; ; operation++) {
      SimulatedDisk disk = SimulatedDisk.seeded(operation);
      Storage storage = disk.storage();
      ReplicaNode.create(storage, ID, OPTIONS);
      disk.crashAtOperation(disk.operations() + operation, CrashMoment.MIDDLE);
      boolean isOver = false;
      try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
        files.region().setLong(WORD, 42);
        files.dirty().markIn(files.dirty().currentMap(), files.dirty().pageOf(WORD));
        files.checkpoint(place);
        isOver = true;
      } catch (SimulatedCrash e) {
        // Looked at below.
      }
      CrashStates states = disk.crashStates();
      for (long i = 0; i < Math.min(states.count(), 50); i++) {
        SimulatedDisk left = disk.fork();
        left.powerCut(states.choice(i));
        try (ReplicaFiles files = ReplicaFiles.open(left.storage(), ID, OPTIONS)) {
          long word = files.region().getLong(WORD);
          if (files.place().equals(place)) {
            assertThat(word).isEqualTo(42);
            news++;
          } else {
            // The image may be ahead of the place, and says so.
            assertThat(files.place()).isEqualTo(RingPlacement.Replica.START);
            assertThat(word == 0 || files.imageLsn() == 17).isTrue();
            olds++;
          }
        }
      }
      if (isOver) {
        break;
      }
    }
    assertThat(olds).isPositive();
    assertThat(news).isPositive();
  }

  @Test
  void aCreationThatWasCutOffBeginsAgain() {
    for (long operation = 1; ; operation++) {
      SimulatedDisk disk = SimulatedDisk.seeded(operation);
      disk.crashAtOperation(operation, CrashMoment.AFTER);
      boolean isOver = false;
      try {
        ReplicaNode.create(disk.storage(), ID, OPTIONS);
        isOver = true;
      } catch (SimulatedCrash e) {
        // Looked at below.
      }
      CrashStates states = disk.crashStates();
      disk.powerCut(states.choice(operation % states.count()));
      Storage storage = disk.storage();
      boolean isThere = false;
      try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
        isThere = true;
        assertThat(files.place()).isEqualTo(RingPlacement.Replica.START);
      } catch (UnsupportedStoreException | CorruptStoreException e) {
        assertThat(isOver).isFalse();
      }
      if (!isThere) {
        if (!UnfinishedStore.CREATION.isIn(storage) && !storage.list("").isEmpty()) {
          assertThat(storage.list("")).allMatch(name -> name.startsWith("store."));
        }
        ReplicaNode.create(storage, ID, OPTIONS);
        ReplicaFiles.open(storage, ID, OPTIONS).close();
      }
      if (isOver) {
        break;
      }
    }
  }
}

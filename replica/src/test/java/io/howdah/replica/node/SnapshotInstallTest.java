package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.StoreOptions;
import io.howdah.checkpoint.BaseStart;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.replica.snapshot.SnapshotPages;
import io.howdah.replica.snapshot.SnapshotReader;
import io.howdah.replica.snapshot.SnapshotWriter;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A snapshot as bytes, and the files of a node that are replaced by it. */
class SnapshotInstallTest {

  private static final StoreId ID = new StoreId(1, 2);
  private static final long WORD = RegionHeaderLayout.ROOTS_ADDRESS;
  private static final long FAR = 200_000;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(RingLayout.MIN_CAPACITY)
          .withOrecs(1 << 10);

  private static final RingPlacement.Replica OLD = new RingPlacement.Replica(2, 7, 3, 99, 4, 5, 17);
  private static final RingPlacement.Replica NEW =
      new RingPlacement.Replica(3, 90, 5, 98, 6, 7, 170);

  private static void write(ReplicaFiles files, long address, long value) {
    files.region().setLong(address, value);
    files.dirty().markIn(files.dirty().currentMap(), files.dirty().pageOf(address));
  }

  /** The files of a node that do not change. */
  private record Still(ReplicaFiles files) implements SnapshotPages {

    @Override
    public BaseStart start() {
      return new BaseStart(files.checkpointer().current(), files.checkpointer().imageEnd());
    }

    @Override
    public boolean readPages(long address, ByteBuffer pages) {
      return files.checkpointer().readPages(address, pages);
    }

    @Override
    public Superblock state() {
      return files.checkpointer().current();
    }
  }

  private static byte[] snapshot() throws IOException {
    Storage storage = SimulatedDisk.seeded(1).storage();
    ReplicaNode.create(storage, ID, OPTIONS);
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      write(files, WORD, 43);
      files.checkpoint(OLD); // so that the last one is in the other journal than a first one
      write(files, FAR, 44);
      files.checkpoint(NEW);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      SnapshotWriter.write(
          new Still(files), OPTIONS.execution(), SnapshotWriter.MAX_PIECE_BYTES, bytes);
      return bytes.toByteArray();
    }
  }

  private static SimulatedDisk node(long seed) {
    SimulatedDisk disk = SimulatedDisk.seeded(seed);
    ReplicaNode.create(disk.storage(), ID, OPTIONS);
    try (ReplicaFiles files = ReplicaFiles.open(disk.storage(), ID, OPTIONS)) {
      // More checkpoints than the snapshot has, so that a journal that stayed would be of a later
      // one.
      for (int i = 0; i < 6; i++) {
        write(files, WORD, 42);
        files.checkpoint(OLD);
      }
    }
    return disk;
  }

  private static void install(Storage storage, byte[] bytes, StoreId id, long leastIndex)
      throws IOException {
    SnapshotReader.Expected expected;
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      expected = new SnapshotReader.Expected(id, files.geometry(), leastIndex);
    }
    RingPlacement.Replica place =
        SnapshotReader.install(
            "member b", new ByteArrayInputStream(bytes), storage, expected, () -> false);
    assertThat(place).isEqualTo(NEW);
  }

  private static void requireOld(Storage storage) {
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      assertThat(files.place()).isEqualTo(OLD);
      assertThat(files.region().getLong(WORD)).isEqualTo(42);
      assertThat(files.region().getLong(FAR)).isZero();
    }
    assertThat(storage.exists("incoming")).isFalse();
  }

  private static void requireNew(Storage storage) {
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      assertThat(files.place()).isEqualTo(NEW);
      assertThat(files.imageLsn()).isEqualTo(NEW.cut());
      assertThat(files.region().getLong(WORD)).isEqualTo(43);
      assertThat(files.region().getLong(FAR)).isEqualTo(44);
      files.checkpointer().check();
      // The next checkpoint continues those of the snapshot.
      write(files, WORD, 45);
      files.checkpoint(new RingPlacement.Replica(3, 91, 5, 98, 7, 8, 171));
    }
    assertThat(storage.exists("incoming")).isFalse();
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      assertThat(files.region().getLong(WORD)).isEqualTo(45);
    }
  }

  @Test
  void aSnapshotReplacesTheFiles() throws IOException {
    Storage storage = node(1).storage();
    install(storage, snapshot(), ID, NEW.index());
    requireNew(storage);
  }

  @Test
  void checkpointsWhileASnapshotIsReadRaiseWhatItsImageHasAndNotItsPlace() throws IOException {
    Storage source = SimulatedDisk.seeded(1).storage();
    ReplicaNode.create(source, ID, OPTIONS);
    RingPlacement.Replica later = new RingPlacement.Replica(3, 95, 5, 98, 7, 8, 180);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ReplicaFiles files = ReplicaFiles.open(source, ID, OPTIONS)) {
      write(files, WORD, 43);
      write(files, FAR, 44);
      files.checkpoint(NEW);
      Still still = new Still(files);
      SnapshotPages moving =
          new SnapshotPages() {
            @Override
            public BaseStart start() {
              return still.start();
            }

            @Override
            public boolean readPages(long address, ByteBuffer pages) {
              if (address == 8192) {
                write(files, WORD, 53); // its page was read before
                write(files, FAR, 54);
                files.checkpoint(later);
              }
              return still.readPages(address, pages);
            }

            @Override
            public Superblock state() {
              return still.state();
            }
          };
      SnapshotWriter.write(moving, OPTIONS.execution(), 8192, bytes);
    }
    Storage storage = node(1).storage();
    install(storage, bytes.toByteArray(), ID, 0);
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      assertThat(files.region().getLong(WORD)).isEqualTo(43);
      assertThat(files.region().getLong(FAR)).isEqualTo(54);
      assertThat(files.place()).isEqualTo(NEW);
      assertThat(files.imageLsn()).isEqualTo(later.cut());
      files.checkpointer().check();
    }
  }

  @Test
  void aCrashAnywhereLeavesTheFormerFilesOrTheSnapshot() throws IOException {
    byte[] bytes = snapshot();
    int olds = 0;
    int news = 0;
    boolean isOver = false;
    for (long operation = 1; !isOver; operation++) {
      SimulatedDisk disk = node(operation);
      disk.crashAtOperation(disk.operations() + operation, CrashMoment.MIDDLE);
      try {
        install(disk.storage(), bytes, ID, 0);
        isOver = true;
      } catch (SimulatedCrash e) {
        // Looked at below.
      }
      CrashStates states = disk.crashStates();
      for (long i = 0; i < Math.min(states.count(), 30); i++) {
        SimulatedDisk left = disk.fork();
        left.powerCut(states.choice(states.count() - 1 - i));
        boolean isNew;
        try (ReplicaFiles files = ReplicaFiles.open(left.storage(), ID, OPTIONS)) {
          isNew = files.place().equals(NEW);
        }
        if (isNew) {
          requireNew(left.storage());
          news++;
        } else {
          assertThat(isOver).as("a snapshot that was installed stays").isFalse();
          requireOld(left.storage());
          olds++;
        }
      }
    }
    assertThat(olds).isPositive();
    assertThat(news).isPositive();
  }

  @Test
  void anyDamageOfTheBytesIsRefusedAndTheFilesStay() throws IOException {
    byte[] bytes = snapshot();
    Storage storage = node(1).storage();
    for (int at = 0; at < bytes.length; at += 1 + at / 40) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x10;
      assertThatThrownBy(() -> install(storage, damaged, ID, 0))
          .as("byte %d", at)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("member b");
      int end = at;
      assertThatThrownBy(() -> install(storage, Arrays.copyOf(bytes, end), ID, 0))
          .as("cut at %d", at)
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("ends at offset");
    }
    requireOld(storage);
  }

  @Test
  void aSnapshotOfAnotherGroupOrOneThatIsTooOldIsRefused() throws IOException {
    byte[] bytes = snapshot();
    Storage storage = node(1).storage();
    assertThatThrownBy(() -> install(storage, bytes, new StoreId(1, 3), 0))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("belongs to replica group " + ID);
    assertThatThrownBy(() -> install(storage, bytes, ID, NEW.index() + 1))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("has a snapshot of entry 90")
        .hasMessageContaining("begins behind entry 91");
    requireOld(storage);
  }

  @Test
  void otherDimensionsAreRefused() throws IOException {
    byte[] bytes = snapshot();
    Storage storage = SimulatedDisk.seeded(1).storage();
    StoreOptions larger = OPTIONS.withMaxSize(1 << 19);
    ReplicaNode.create(storage, ID, larger);
    SnapshotReader.Expected expected;
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, larger)) {
      expected = new SnapshotReader.Expected(ID, files.geometry(), 0);
    }
    assertThatThrownBy(
            () ->
                SnapshotReader.install(
                    "member b", new ByteArrayInputStream(bytes), storage, expected, () -> false))
        .isInstanceOf(HowdahException.class)
        .hasMessageContaining("has other dimensions");
  }

  @Test
  void aMemberThatEndsGivesUp() throws IOException {
    byte[] bytes = snapshot();
    Storage storage = node(1).storage();
    SnapshotReader.Expected expected;
    try (ReplicaFiles files = ReplicaFiles.open(storage, ID, OPTIONS)) {
      expected = new SnapshotReader.Expected(ID, files.geometry(), 0);
    }
    assertThatThrownBy(
            () ->
                SnapshotReader.install(
                    "member b", new ByteArrayInputStream(bytes), storage, expected, () -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("given up");
    requireOld(storage);
  }
}

package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.RegionImage;
import io.howdah.checkpoint.WarmMemory;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.commit.RingSet;
import java.util.List;

/**
 * A store without threads: opens, closes and recovers as a real one does, and leaves every step of
 * a commit to the test.
 */
final class HandStore {

  static final long REGION_BYTES = 1 << 18;

  /** How a store is opened. */
  record Setup(
      int partitions,
      boolean ringsInStore,
      long checkpointAboveBytes,
      Backing backing,
      boolean imageVerified) {

    Setup(int partitions, boolean ringsInStore, long checkpointAboveBytes) {
      this(partitions, ringsInStore, checkpointAboveBytes, Backing.MAPPED, true);
    }

    RecoveryOptions recoveryOptions() {
      return new RecoveryOptions(
          backing, checkpointAboveBytes, Long.MAX_VALUE, 1 << 16, imageVerified);
    }
  }

  final Storage storage;
  final SuperblockFile superblock;
  final RecoveredStore recovered;
  final HandLog log;

  private HandStore(
      Storage storage, SuperblockFile superblock, RecoveredStore recovered, HandLog log) {
    this.storage = storage;
    this.superblock = superblock;
    this.recovered = recovered;
    this.log = log;
  }

  static void create(Storage storage, Setup setup) {
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    storage.createDirectory(RingDirectory.DIRECTORY);
    storage.forceDirectory("log");
    StoreId id = new StoreId(0x0123456789ABCDEFL, 77);
    Geometry geometry =
        new Geometry(setup.partitions(), HandLog.ringBytes(), REGION_BYTES, 1024, 32, 4096);
    RegionImage.create(storage, id, geometry);
    SuperblockFile.create(
            storage,
            new Superblock(
                id,
                0,
                geometry,
                1,
                1,
                0,
                false,
                new RingPlacement.None(),
                new LogState(1, 1, 1),
                CheckpointState.NONE,
                List.of()))
        .close();
  }

  static HandStore open(Storage storage, Execution execution, Setup setup, long nonce) {
    SuperblockFile superblock = SuperblockFile.open(storage);
    RecoveredStore recovered =
        StoreRecovery.recover(storage, execution, superblock, setup.recoveryOptions());
    recovered.replay().finish();
    Superblock current = superblock.current();
    WarmMemory warm = recovered.warm();
    RingDirectory place =
        setup.ringsInStore()
            ? null
            : RingDirectory.create(storage, current, recovered.logStart(), nonce, warm != null);
    RingSet rings =
        place != null
            ? place.rings()
            : RingSet.create(
                storage,
                RingDirectory.DIRECTORY,
                recovered.logStart(),
                nonce,
                setup.partitions(),
                HandLog.ringBytes());
    HandLog log =
        new HandLog(
            storage,
            rings,
            storage.allocate(CommitLanes.wordsLengthBytes(setup.partitions())),
            recovered.logStart());
    if (warm != null) {
      warm.own(current, nonce);
    }
    superblock.write(
        current
            .change()
            .withRings(place == null ? new RingPlacement.StoreDirectory(nonce) : place.placement())
            .build());
    return new HandStore(storage, superblock, recovered, log);
  }

  Region region() {
    return recovered.region();
  }

  DirtyPages dirty() {
    return recovered.dirty();
  }

  /** Commits one word, unforced. */
  void commit(int partition, long address, long value) {
    if (!log.tryLease(partition)) {
      throw new IllegalStateException("lane " + partition + " is taken");
    }
    Lane through = log.lane(partition);
    through.announce();
    long lsn = through.takeLsn();
    through.begin(RedoRecordLayout.KIND_COMMIT, RedoRecordLayout.MIN_LENGTH + 16, 1, lsn, 0);
    through.put(RedoRecordLayout.entryHead(address, 1));
    through.put(value);
    through.publish();
    store(address, value);
    through.finish();
  }

  void store(long address, long value) {
    region().setLongOpaque(address, value);
    dirty().markIn(dirty().currentMap(), dirty().pageOf(address));
  }

  /** Closes; no commit is under way. */
  void closeCleanly() {
    log.flush();
    Checkpointer checkpointer = new Checkpointer(storage, superblock);
    checkpointer.journal(region(), dirty(), log.clock());
    log.close();
    RingDirectory.remove(storage, superblock.current());
    checkpointer.fold(dirty(), b -> b.withClean(true).withRings(new RingPlacement.None()));
    superblock.close();
    recovered.replay().close();
    region().close();
    dirty().close();
    storage.close();
  }
}

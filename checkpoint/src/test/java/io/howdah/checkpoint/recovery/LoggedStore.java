package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.RegionImage;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.LogOptions;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.RingDirectory;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * A store of words with the real log, recovery and checkpoints, and no transactions: one thread
 * commits at a time, so records depend on nothing.
 */
public final class LoggedStore {

  static final long REGION_BYTES = 1 << 20;
  static final int PARTITIONS = 3;

  final Storage storage;
  final SuperblockFile superblock;
  final RecoveredStore recovered;
  public final RedoLog log;
  final RingDirectory rings;

  private LoggedStore(
      Storage storage,
      SuperblockFile superblock,
      RecoveredStore recovered,
      RedoLog log,
      RingDirectory rings) {
    this.storage = storage;
    this.superblock = superblock;
    this.recovered = recovered;
    this.log = log;
    this.rings = rings;
  }

  static void create(Storage storage, StoreId id) {
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    storage.forceDirectory("log");
    Geometry geometry =
        new Geometry(PARTITIONS, RingLayout.MIN_CAPACITY, REGION_BYTES, 1024, 32, 4096);
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

  static LoggedStore open(
      Storage storage, Execution execution, RecoveryOptions options, LogOptions logOptions) {
    return open(storage, execution, options, logOptions, UnaryOperator.identity());
  }

  /**
   * Opens a store whose log uses the words that a test makes of those it would have.
   *
   * @param words of the commits: clock, leases, stable LSN
   */
  static LoggedStore open(
      Storage storage,
      Execution execution,
      RecoveryOptions options,
      LogOptions logOptions,
      UnaryOperator<Region> words) {
    SuperblockFile superblock = SuperblockFile.open(storage);
    RecoveredStore recovered = StoreRecovery.recover(storage, execution, superblock, options);
    recovered.replay().finish();
    Superblock current = superblock.current();
    long nonce = new SplittableRandom().nextLong();
    RingDirectory rings =
        RingDirectory.create(storage, current, recovered.logStart(), nonce, false);
    RedoLog log =
        RedoLog.start(
            storage,
            rings.rings(),
            words.apply(storage.allocate(CommitLanes.wordsLengthBytes(PARTITIONS))),
            recovered.logStart(),
            logOptions,
            execution,
            cause -> {});
    superblock.write(current.change().withRings(rings.placement()).build());
    return new LoggedStore(storage, superblock, recovered, log, rings);
  }

  Region region() {
    return recovered.region();
  }

  DirtyPages dirty() {
    return recovered.dirty();
  }

  /** Commits words through a lane of choice; returns the dense LSN. */
  long commit(int home, Map<Long, Long> words) {
    int length = RedoRecordLayout.MIN_LENGTH + words.size() * 2 * Long.BYTES;
    Lane lane = log.lanes().lease(home, length, 0);
    lane.announce();
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, length, words.size(), lsn, lane.dependency(0));
    for (Map.Entry<Long, Long> word : words.entrySet()) {
      lane.put(RedoRecordLayout.entryHead(word.getKey(), 1));
      lane.put(word.getValue());
    }
    lane.publish();
    for (Map.Entry<Long, Long> word : words.entrySet()) {
      region().setLong(word.getKey(), word.getValue());
      dirty().markIn(dirty().currentMap(), dirty().pageOf(word.getKey()));
    }
    lane.finish();
    return io.howdah.log.commit.Lsn.dense(lsn);
  }

  void closeCleanly() {
    log.close();
    Checkpointer checkpointer = new Checkpointer(storage, superblock);
    checkpointer.journal(region(), dirty(), log.stable());
    rings.delete();
    checkpointer.fold(dirty(), b -> b.withClean(true).withRings(new RingPlacement.None()));
    superblock.close();
    recovered.replay().close();
    region().close();
    dirty().close();
  }

  String placeName() {
    return RingDirectory.name(storage, superblock.current());
  }
}

package io.howdah.store.open;

import io.howdah.checkpoint.recovery.ReadOnlyRecovery;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.words.OrecTable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store for reading only. There is no log, so nothing that commits would wait for, and no
 * commit gets so far: the first write of a transaction is refused. Runs on an engine thread,
 * because it touches files.
 */
final class ReadOnlyOpening {

  private final Storage storage;
  private final OpeningOptions options;
  private final Opened opened;
  private @Nullable OpeningFacts facts;

  /** Remembers what a failed opening closes again. */
  interface Opened {
    <T extends AutoCloseable> T add(T resource);
  }

  ReadOnlyOpening(Storage storage, OpeningOptions options, Opened opened) {
    this.storage = storage;
    this.options = options;
    this.opened = opened;
  }

  /** Returns what {@link #open} found, null before. */
  @Nullable OpeningFacts facts() {
    return facts;
  }

  OpenedStore open() {
    if (options.adminSocket()) {
      throw new IllegalArgumentException(
          "a store that is open for reading only has no admin socket, which would be a file in its"
              + " directory");
    }
    StorageLock lock = opened.add(storage.lock("howdah"));
    StoreLookup.require(storage);
    SuperblockFile superblock = opened.add(SuperblockFile.open(storage));
    Superblock current = superblock.current();
    Geometry geometry = current.geometry();
    StoreOpening.requireSupported(storage, current);
    // Files that may change are read once and for all, and then it is seen whether they did.
    Backing backing = lock.excludesWriters() ? options.backing() : Backing.RESIDENT;
    Execution execution = options.execution();
    ReadOnlyRecovery.Result recovered =
        SharedReading.of(
            storage,
            lock,
            () -> {
              ReadOnlyRecovery.Result result =
                  ReadOnlyRecovery.recover(
                      storage, execution, superblock, backing, options.verifyImage());
              opened.add(result.region());
              return result;
            });
    Region region = recovered.region();
    OrecTable orecs =
        opened.add(OrecTable.create(options.orecs(), !storage.observesMemory(), storage::allocate));
    Region laneWords =
        opened.add(storage.allocate(CommitLanes.wordsLengthBytes(geometry.partitions())));
    facts =
        new OpeningFacts(
            storage.describe(),
            OpeningFacts.Kind.TO_READ,
            backing,
            storage.usesLargePages(backing),
            recovered.report(),
            Optional.empty(),
            () -> true);
    Lifecycle lifecycle = new Lifecycle();
    CommitLanes lanes =
        CommitLanes.unlogged(
            laneWords,
            geometry.partitions(),
            recovered.report().lsn(),
            execution,
            lifecycle::failIfStopped);
    return new OpenedStore(
        region,
        orecs,
        lanes,
        lifecycle,
        new OpenedStore.Dimensions(
            geometry.partitions(), (int) geometry.ringBytes(), geometry.maxSizeBytes()),
        null,
        null,
        null,
        null,
        recovered.report(),
        null,
        StoreOpening.mayBeNew(current),
        _ -> {
          try (storage;
              lock;
              superblock;
              laneWords;
              orecs;
              region) {
            // Closed in the reverse order.
          }
        });
  }
}

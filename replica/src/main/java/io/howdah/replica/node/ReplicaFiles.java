package io.howdah.replica.node;

import io.howdah.StoreOptions;
import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.IncomingFiles;
import io.howdah.checkpoint.RegionImage;
import io.howdah.checkpoint.StoreFiles;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.log.ChainEnd;
import io.howdah.store.open.StoreLookup;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The files of a node, and the region that they give: image, journals and superblock, as those of a
 * plain store, but no log. The superblock names the place in the group's log from which a replay
 * makes the image complete (docs/protocol.md, R75).
 *
 * <p>Owned by one thread at a time. The caller holds the lock of the storage.
 */
final class ReplicaFiles implements AutoCloseable {

  private static final int PAGE_BYTES = 4096;
  private static final int STRIPE_BYTES = 32;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final SuperblockFile superblock;
  private final Checkpointer checkpointer;
  private final Region region;
  private final DirtyPages dirty;

  /** The image may have words of commits up to this dense LSN. */
  private final long imageLsn;

  /**
   * Creates the files of a node, durably, in an empty directory.
   *
   * @param options size, partitions and length of the rings, the same for all nodes
   * @throws io.howdah.core.storage.StorageException if there is a store, or a file cannot be
   *     written
   */
  static void create(Storage storage, StoreId id, StoreOptions options) {
    if (UnfinishedStore.CREATION.isIn(storage) && !SuperblockFile.exists(storage)) {
      // A creation that was cut short: none of its files holds data. The file that says so goes
      // last.
      StoreFiles.delete(storage);
      storage.delete(UnfinishedStore.CREATION.fileName());
    }
    Execution execution = options.execution();
    Geometry geometry =
        new Geometry(
            options.partitions(),
            options.ringBytes(),
            options.maxSize(),
            options.orecs(),
            STRIPE_BYTES,
            PAGE_BYTES);
    UnfinishedStore.CREATION.begin(storage, "creation of a replica; it holds no data yet");
    StoreFiles.createDirectories(storage);
    RegionImage.create(storage, id, geometry);
    SuperblockFile.create(
            storage,
            UnfinishedStore.CREATION,
            new Superblock(
                id,
                execution.wallClockMillis(),
                geometry,
                1,
                1,
                0,
                false,
                RingPlacement.Replica.START,
                new LogState(1, 1, 1),
                CheckpointState.NONE,
                List.of()))
        .close();
  }

  /**
   * Opens the files of a node. A checkpoint that a crash has cut off is completed, or given up, and
   * so is the installation of a snapshot.
   *
   * @throws UnsupportedStoreException if there are none, or those of another group or of a plain
   *     store
   * @throws IllegalArgumentException if the options are not those of its creation
   * @throws io.howdah.core.CorruptStoreException if they are damaged
   */
  static ReplicaFiles open(Storage storage, StoreId id, StoreOptions options) {
    return new ReplicaFiles(storage, id, options);
  }

  private ReplicaFiles(Storage storage, StoreId id, StoreOptions options) {
    boolean isOpen = false;
    try {
      IncomingFiles.settle(storage);
      StoreLookup.require(storage);
      this.superblock = opening(SuperblockFile.open(storage));
      Superblock current = superblock.current();
      requireReplica(storage, current, id);
      requireGeometry(storage, current.geometry(), options);
      RegionImage.requireWhole(storage, id, current.geometry());
      this.checkpointer = new Checkpointer(storage, superblock);
      checkpointer.requireNewest();
      checkpointer.checkSome();
      // Before the image is mapped: a later fold would change pages that were read.
      checkpointer.foldLeftover();
      Geometry geometry = current.geometry();
      this.region =
          opening(
              storage.mapPrivate(ImageFile.NAME, geometry.maxSizeBytes(), checkpointer.imageEnd()));
      this.dirty =
          opening(DirtyPages.create(storage, region.capacityBytes(), geometry.pageBytes()));
      this.imageLsn = superblock.current().checkpoint().imageLsn();
      isOpen = true;
    } finally {
      if (!isOpen) {
        close();
      }
    }
  }

  private <T extends AutoCloseable> T opening(T resource) {
    opened.push(resource);
    return resource;
  }

  private static void requireReplica(Storage storage, Superblock current, StoreId id) {
    if (!(current.rings() instanceof RingPlacement.Replica)) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " holds a plain store, no node of a replica group; a node begins in an empty"
              + " directory");
    }
    if (!current.storeId().equals(id)) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " belongs to replica group "
              + current.storeId()
              + ", not to "
              + id
              + "; name the group's own directory");
    }
  }

  private static void requireGeometry(Storage storage, Geometry found, StoreOptions options) {
    if (found.maxSizeBytes() != options.maxSize()
        || found.partitions() != options.partitions()
        || found.ringBytes() != options.ringBytes()) {
      throw new IllegalArgumentException(
          "the nodes of a group have one geometry, which cannot be changed: "
              + storage.describe()
              + " has maxSize "
              + found.maxSizeBytes()
              + ", partitions "
              + found.partitions()
              + ", ringBytes "
              + found.ringBytes()
              + "; the options ask for "
              + options.maxSize()
              + ", "
              + options.partitions()
              + ", "
              + options.ringBytes());
    }
  }

  Region region() {
    return region;
  }

  DirtyPages dirty() {
    return dirty;
  }

  Checkpointer checkpointer() {
    return checkpointer;
  }

  /**
   * Returns the dense LSN up to which the image may have words. Until all commits up to it are
   * replayed, the region is no state of the store (docs/protocol.md, R77).
   */
  long imageLsn() {
    return imageLsn;
  }

  Geometry geometry() {
    return superblock.current().geometry();
  }

  /** Returns the place from which a replay starts. */
  RingPlacement.Replica place() {
    return (RingPlacement.Replica) superblock.current().rings();
  }

  /** Returns the position of a place. */
  static Consensus.Position position(RingPlacement.Replica place) {
    return new Consensus.Position(place.term(), place.index());
  }

  /** Returns the end of the chain at a place. */
  static ChainEnd end(RingPlacement.Replica place) {
    return new ChainEnd(place.epoch(), place.nonce(), place.sequence(), place.crc(), place.cut());
  }

  /** Returns the place of an entry, behind which the chain has an end. */
  static RingPlacement.Replica place(Consensus.Position at, ChainEnd end) {
    return new RingPlacement.Replica(
        at.term(), at.index(), end.epoch(), end.nonce(), end.sequence(), end.crc(), end.cut());
  }

  /**
   * Writes the region to the image, durably, while no thread changes the region. It must be the
   * state at the cut of a place.
   */
  void checkpoint(RingPlacement.Replica place) {
    checkpointer.checkpointQuiescent(region, dirty, place.cut(), change -> change.withRings(place));
  }

  /** Returns whether a write of the superblock has failed, so that its durable state is unknown. */
  boolean hasLostSuperblock() {
    return superblock.hasFailed();
  }

  @Override
  @SuppressWarnings("EmptyCatch") // said below
  public void close() {
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Throwable t) {
        // Files and memory are not used any more, whatever this call has met.
      }
    }
    opened.clear();
  }
}

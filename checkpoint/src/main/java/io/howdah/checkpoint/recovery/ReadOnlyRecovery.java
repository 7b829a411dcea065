package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.RegionImage;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.log.recovery.RecoveredLog;
import java.nio.ByteBuffer;

/**
 * Recovers a store from its files into memory without changing a file (docs/recovery.md). All
 * changes that {@link StoreRecovery} would write to files are made in memory only.
 *
 * <p>Nothing is made durable. A reader sees commits that a killed process has left in rings or in
 * the page cache, as a recovery would; a power cut may still lose them.
 *
 * <p>Runs on an engine thread, because it accesses files.
 */
public final class ReadOnlyRecovery {

  private final Storage storage;
  private final Execution execution;
  private final Superblock superblock;
  private final Checkpointer checkpointer;
  private final boolean healed;

  private ReadOnlyRecovery(Storage storage, Execution execution, SuperblockFile superblock) {
    this.storage = storage;
    this.execution = execution;
    this.superblock = superblock.current();
    this.checkpointer = new Checkpointer(storage, superblock);
    this.healed = superblock.hadDamagedSlot();
  }

  /**
   * The memory of a store.
   *
   * @param region the recovered words, for reading only; the caller closes it
   * @param report of this recovery
   */
  public record Result(Region region, RecoveryReport report) {}

  /**
   * Reads a store.
   *
   * @param superblock open; it is not written
   * @param backing except with {@link Backing#RESIDENT}, pages of a closed store are read when they
   *     are accessed, and no process may change the store; with {@link Backing#RESIDENT}, all of it
   *     is read now, and the files are no longer needed
   * @param imageVerified whether to verify every page of a mapped image against its checksum
   * @throws io.howdah.core.CorruptStoreException if something that was durable is missing or
   *     damaged
   * @throws io.howdah.core.UnsupportedStoreException if a file belongs to another store or has a
   *     newer format
   * @throws io.howdah.core.storage.StorageException if a file cannot be read
   */
  public static Result recover(
      Storage storage,
      Execution execution,
      SuperblockFile superblock,
      Backing backing,
      boolean imageVerified) {
    return new ReadOnlyRecovery(storage, execution, superblock).run(backing, imageVerified);
  }

  private Result run(Backing backing, boolean imageVerified) {
    long started = execution.nanoTime();
    RegionImage.requireWhole(storage, superblock.storeId(), superblock.geometry());
    checkpointer.requireNewest();
    Region region = openRegion(backing, imageVerified);
    try {
      long imageEnd = execution.nanoTime();
      long folded = checkpointer.copyLeftover(region);
      boolean isPatched = checkpointer.isJournaled() && folded >= 0; // 0: a journal without pages
      if (isPatched && (imageVerified || backing == Backing.RESIDENT)) {
        checkpointer.check(); // the other pages were not verified before
      }
      long foldEnd = execution.nanoTime();
      RecoveredLog log =
          LogRecovery.read(
              storage,
              execution,
              checkpointer.withoutLeftover(),
              (source, from, to) -> redo(region, source, from, to));
      long end = execution.nanoTime();
      RecoveryReport report =
          new RecoveryReport(
              log.outcome(),
              log.rings(),
              new MemoryOrigin.Unshared(""),
              superblock.generation(),
              log.baseLsn(),
              log.counts(),
              0,
              0,
              folded,
              0,
              healed,
              new RecoveryReport.Durations(
                  foldEnd - imageEnd, imageEnd - started, end - foldEnd, 0, 0, 0));
      return new Result(region, report);
    } catch (Throwable t) {
      Throwable explained = region.explained(t);
      region.close();
      if (explained instanceof HowdahException e) {
        throw e;
      }
      throw t;
    }
  }

  private Region openRegion(Backing backing, boolean imageVerified) {
    long capacity = superblock.geometry().maxSizeBytes();
    // After an interrupted fold, the checksums of the pages that it may have written are not valid.
    boolean isFolded = !checkpointer.isJournaled() && !checkpointer.isAbandoned();
    checkpointer.checkSome();
    boolean isMapped = backing != Backing.RESIDENT; // memory that outlives a process is not read
    if (imageVerified && isFolded && isMapped) {
      checkpointer.check();
    }
    RegionMemory memory =
        new RegionMemory(
            storage.describe(),
            capacity,
            () ->
                UsedBytes.of(
                    storage,
                    execution,
                    checkpointer.isJournaled() ? withoutJournal() : superblock,
                    checkpointer));
    if (isMapped) {
      return memory.map(
          length ->
              superblock.clean()
                  ? storage.mapReadOnly(ImageFile.NAME, length)
                  : storage.mapPrivate(ImageFile.NAME, length, checkpointer.imageEnd()));
    }
    Region region = memory.map(storage::allocate);
    try {
      ImageLoad.load(
          storage,
          region,
          checkpointer.imageEnd(),
          superblock.geometry().pageBytes(),
          isFolded,
          execution);
      return region;
    } catch (Throwable t) {
      region.close();
      throw t;
    }
  }

  private Superblock withoutJournal() {
    return superblock.change().withCheckpoint(superblock.checkpoint().abandoned()).build();
  }

  /** Replays entries in the thread that reads the log, without a stash. */
  private static void redo(Region region, ByteBuffer source, int from, int to) {
    for (int at = from; at < to; ) {
      long address = RedoRecordLayout.entryAddress(source.getLong(at));
      int bytes = RedoRecordLayout.entryRun(source.getLong(at)) * Region.WORD_BYTES;
      at += Long.BYTES;
      if (bytes == Region.WORD_BYTES) {
        region.setLong(address, source.getLong(at));
      } else {
        region.copyFrom(address, source.duplicate().limit(at + bytes).position(at));
      }
      at += bytes;
    }
  }
}

package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.RegionImage;
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
 * Opens what a store's files hold without changing any of them (docs/recovery.md): what {@link
 * StoreRecovery} would write to files is done in memory only, and is gone with it.
 *
 * <p>So nothing is made durable either: what a process that was killed left in the page cache is
 * shown, as a recovery would bring it back, but a power cut may take it away still.
 *
 * <p>Runs on an engine thread, because it touches files.
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
   * A store's memory.
   *
   * @param region the recovered words, not to be written; the caller closes it
   * @param report of what happened
   */
  public record Result(Region region, RecoveryReport report) {}

  /**
   * Reads a store.
   *
   * @param superblock open, and not written to
   * @param backing {@link Backing#MAPPED} reads a store that was closed only as it is needed, for
   *     as long as nobody else changes it; {@link Backing#RESIDENT} reads it now, and needs its
   *     files no more
   * @param imageVerified whether every page of an image that is mapped is held to its checksum
   * @throws io.howdah.core.CorruptStoreException if something that was durable is missing or
   *     damaged
   * @throws io.howdah.core.UnsupportedStoreException if some file is not this store's, or of a
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
      boolean isPatched = checkpointer.isJournaled() && folded >= 0; // perhaps of no page
      if (isPatched && (imageVerified || backing == Backing.RESIDENT)) {
        checkpointer.check(); // of the other pages nothing is known yet
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
      Throwable told = region.explained(t);
      region.close();
      if (told instanceof HowdahException e) {
        throw e;
      }
      throw t;
    }
  }

  private Region openRegion(Backing backing, boolean imageVerified) {
    long capacity = superblock.geometry().maxSizeBytes();
    // Of pages that a fold which a crash cut short may have written the sums tell nothing.
    boolean isFolded = !checkpointer.isJournaled() && !checkpointer.isAbandoned();
    checkpointer.checkSome();
    if (imageVerified && isFolded && backing == Backing.MAPPED) {
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
    if (backing == Backing.MAPPED) {
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

  /** Replays at once, on the thread that reads: whoever only looks does not wait for much. */
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

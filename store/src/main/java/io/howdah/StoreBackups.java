package io.howdah;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.FileCopy;
import io.howdah.checkpoint.LogSummary;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.checkpoint.recovery.RecoveredStore;
import io.howdah.checkpoint.recovery.RecoveryOptions;
import io.howdah.checkpoint.recovery.StoreRecovery;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.flush.ForceNote;
import io.howdah.log.flush.SegmentNames;
import io.howdah.log.flush.SpareSegments;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.store.export.StoreImport;
import io.howdah.store.open.BackupMark;
import io.howdah.store.open.SharedReading;
import io.howdah.store.open.StoreCheck;
import io.howdah.store.open.StoreCompaction;
import io.howdah.store.open.StoreLookup;
import io.howdah.store.open.UninterruptedCall;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes stores of backups, and checks and compacts stores that no process has open. {@link
 * StoreAdmin#backup(Path)} makes the backups. Thread-safe.
 */
public final class StoreBackups {

  /** A restored image is compacted if more than one part of these has become free. */
  private static final int COMPACTED_PARTS = 16;

  private StoreBackups() {}

  /**
   * Checks the files of a store or a backup that no process has open, and changes nothing:
   * superblock, journal if it is needed, every page of the image and its checksum, every batch and
   * every record of the log.
   *
   * @throws io.howdah.core.storage.StoreLockedException if it is open
   * @throws CorruptStoreException if something that was durable is missing or damaged; names file
   *     and offset
   * @throws UnsupportedStoreException if there is no store
   */
  public static CheckReport check(Path directory) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-check",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing().withReadOnly(true))) {
            return checkLocked(storage, Execution.system());
          }
        });
  }

  /**
   * Checks an export, and changes nothing: every block and its checksum, and how much of everything
   * there is.
   *
   * @return what it holds
   * @throws CorruptStoreException if the file is damaged or incomplete; names it and the offset
   * @throws UnsupportedStoreException if there is no export, or one of another format
   */
  public static ExportReport checkExport(Path directory) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-check",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing().withReadOnly(true))) {
            return ExportReport.of(StoreImport.check(storage));
          }
        });
  }

  /**
   * Returns whether a directory holds a backup that is as it was made: no store was opened there
   * for writing since. It takes no lock.
   *
   * @throws UnsupportedStoreException if there is no such directory
   */
  public static boolean isBackup(Path directory) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-check",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing().withReadOnly(true))) {
            return BackupMark.isIn(storage);
          }
        });
  }

  static CheckReport checkLocked(Storage storage, Execution execution) {
    try (StorageLock lock = storage.lock("howdah verify")) {
      return namingStore(
          storage, () -> SharedReading.of(storage, lock, () -> check(storage, execution)));
    }
  }

  /** Adds the store to the message about damage: a restore works on two stores. */
  private static <T> T namingStore(Storage storage, Supplier<T> work) {
    try {
      return work.get();
    } catch (CorruptStoreException e) {
      throw e.in(storage.describe());
    }
  }

  static CheckReport check(Storage storage, Execution execution) {
    StoreLookup.require(storage);
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      return new CheckReport(StoreCheck.of(storage, execution, file));
    }
  }

  /**
   * Makes a store of a backup, or of any store that no process has open. The source stays as it is.
   *
   * @param target absent or empty
   * @param lsn leaves out what was committed after it; empty leaves nothing out
   * @return the LSN of the new store: the one that was given, or else the newest commit
   * @throws IllegalArgumentException if the LSN is out of the backup's range, or the target lies in
   *     the backup; nothing is touched
   * @throws UnsupportedStoreException if the backup is none, or is incomplete, or the target holds
   *     something; or no LSN is given, and the process of a store was killed that has commits in
   *     its rings alone: rings are not copied, so open and close such a store before; nothing is
   *     touched
   * @throws CorruptStoreException if the backup is damaged; names file and offset; the target holds
   *     nothing
   * @throws io.howdah.core.storage.StoreLockedException if the source is open, or was opened
   *     meanwhile; the target holds nothing
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written; what was
   *     copied is removed as far as that is possible
   */
  public static long restore(Path backup, Path target, OptionalLong lsn) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-restore",
        () -> {
          try (Storage source = FileStorage.open(backup, existing().withReadOnly(true))) {
            StoreLookup.require(source);
            FileStorage.requireOutside(backup, target);
            // FileStorage.open makes the directory of the target, so the source is checked before.
            return restoreLocked(source, () -> FileStorage.open(target), lsn, Execution.system());
          }
        });
  }

  static long restoreLocked(
      Storage source, Supplier<Storage> target, OptionalLong lsn, Execution execution) {
    try (StorageLock lock = source.lock("howdah restore")) {
      RestoreGoal goal =
          namingStore(
              source, () -> SharedReading.of(source, lock, () -> goal(source, lsn, execution)));
      try (Storage storage = target.get()) {
        StoreLookup.requireEmpty(storage);
        return restoreChecked(
            source,
            storage,
            goal,
            execution,
            copy -> {
              namingStore(
                  source,
                  () ->
                      SharedReading.of(
                          source,
                          lock,
                          () -> {
                            copy.all();
                            return true;
                          }));
            });
      }
    }
  }

  static long restore(Storage source, Storage target, OptionalLong lsn, Execution execution) {
    StoreLookup.require(source);
    StoreLookup.requireEmpty(target);
    return restoreChecked(source, target, goal(source, lsn, execution), execution, FileCopy::all);
  }

  /**
   * What a restore has to recover.
   *
   * @param limit commits with a larger LSN are left out
   * @param completeLsn no commit up to here may be missing
   * @param lastLsn the newest commit
   */
  record RestoreGoal(long limit, long completeLsn, long lastLsn) {}

  /** Checks a source, and returns what a restore of it has to recover. */
  private static RestoreGoal goal(Storage source, OptionalLong lsn, Execution execution) {
    StoreCheck.Found found;
    try (SuperblockFile file = SuperblockFile.open(source)) {
      found = StoreCheck.ofLog(source, execution, file);
    }
    long limit = lsn.orElse(Long.MAX_VALUE);
    if (lsn.isPresent() && (limit < found.fromLsn() || limit > found.logLsn())) {
      throw new IllegalArgumentException(
          source.describe()
              + " can be restored as of an LSN from "
              + found.fromLsn()
              + " to "
              + found.logLsn()
              + ", not "
              + limit);
    }
    if (lsn.isEmpty() && found.lsn() > found.logLsn()) {
      throw new UnsupportedStoreException(
          source.describe()
              + " was not closed, and its commits above LSN "
              + found.logLsn()
              + ", up to "
              + found.lsn()
              + ", are only in the rings of its process, which a restore does not copy: open and"
              + " close it first, as by howdah checkpoint, which recovers them; or restore as of LSN "
              + found.logLsn()
              + " or an earlier one, and give them up");
    }
    return new RestoreGoal(
        limit, Math.min(limit, found.completeLsn()), Math.min(limit, found.logLsn()));
  }

  private static long restoreChecked(
      Storage source,
      Storage target,
      RestoreGoal goal,
      Execution execution,
      Consumer<FileCopy> copying) {
    try (SuperblockFile superblock = SuperblockFile.open(source)) {
      FileCopy copy = new FileCopy(new Checkpointer(source, superblock), target);
      try {
        copying.accept(copy);
        // The copy has no rings: recovery of it uses the log alone, which the check found whole.
        copy.prepare(StoreCheck.withoutRings(superblock.current()));
        recover(target, goal, execution);
        copy.finish();
        return goal.lastLsn();
      } catch (RuntimeException | Error e) {
        copy.discard(e);
        throw e;
      }
    }
  }

  /**
   * Recovers the copy.
   *
   * @throws CorruptStoreException if it has less than the check of the source has found
   */
  static void recover(Storage target, RestoreGoal goal, Execution execution) {
    try (SuperblockFile superblock = SuperblockFile.openUnfinished(target, UnfinishedStore.COPY)) {
      RecoveredStore recovered =
          StoreRecovery.recover(target, execution, superblock, withoutLog(goal.limit()));
      long emptied = emptyFreePages(target, superblock, recovered);
      long complete =
          recovered.report().outcome() instanceof RecoveryOutcome.AfterPowerCut after
              ? after.cut()
              : recovered.lastLsn();
      // A recovery takes a damaged last batch for one that a power cut has torn, and cuts it off.
      if (complete < goal.completeLsn() || recovered.lastLsn() < goal.lastLsn()) {
        throw new CorruptStoreException(
            SegmentNames.DIRECTORY,
            -1,
            "the copy of the log holds everything up to LSN "
                + complete
                + " and nothing beyond LSN "
                + recovered.lastLsn()
                + ", but where it was copied from a check has found everything up to LSN "
                + goal.completeLsn()
                + ", and LSN "
                + goal.lastLsn()
                + ": it was damaged since, or as it was copied; check that again");
      }
      Checkpointer checkpointer = new Checkpointer(target, superblock);
      if (emptied > checkpointer.imageEnd() / COMPACTED_PARTS) {
        new FileCopy(checkpointer, target).compact();
      } else {
        SpareSegments.keep(target, checkpointer.imageEnd());
      }
    }
  }

  /**
   * Accepts that the files of a store that was killed were put back to an earlier state, as by a
   * file system's snapshot that was rolled back in place. The rings of the killed process, which
   * lie elsewhere, are then of a later state than the log, and so may be the force note and
   * summaries of the log that were not put back. An opening then reports a damaged log. It also
   * does so if the rings are gone and the force note is missing. This method removes rings, note
   * and summaries if the log is whole without them: the store opens with the contents of its log.
   *
   * <p>Do this only after such a rollback. If instead the log has lost its end, acknowledged
   * commits are lost with the rings.
   *
   * @return the newest commit that the next opening will recover
   * @throws io.howdah.core.storage.StoreLockedException if it is open
   * @throws CorruptStoreException if the log is damaged also without the rings; nothing is changed
   *     then
   * @throws UnsupportedStoreException if there is no store
   */
  public static long acceptRollback(Path directory) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-accept",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing())) {
            StoreLookup.requireTraces(storage);
            try (StorageLock _ = storage.lock("howdah accept-rollback")) {
              return acceptRollback(storage, Execution.system());
            }
          }
        });
  }

  static long acceptRollback(Storage storage, Execution execution) {
    StoreLookup.require(storage);
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      StoreCheck.Found found = StoreCheck.rolledBack(storage, execution, file);
      Superblock current = file.current();
      file.write(StoreCheck.withoutRings(current));
      // Only after the superblock: if the method ends before, the store is as it was.
      RingDirectory.remove(storage, current);
      LogSummary.deleteAll(storage);
      ForceNote.delete(storage);
      return found.lsn();
    }
  }

  /**
   * Frees disk space that the files of a store do not need: the log, after its changes were written
   * to the image, and the pages of the image in which no block lies. May end early and be repeated.
   *
   * @throws CorruptStoreException if the store is damaged
   * @throws io.howdah.core.storage.StoreLockedException if the store is open
   * @throws io.howdah.core.storage.StorageException if there is no room for a second image
   */
  public static void compact(Path directory) {
    check(directory);
    // The opening recovers the store if needed, and refuses data of another release.
    Store.open(directory).close();
    UninterruptedCall.call(
        Execution.system(),
        "howdah-compact",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing())) {
            compact(storage, Execution.system());
          }
          return true;
        });
  }

  static void compact(Storage storage, Execution execution) {
    try (StorageLock _ = storage.lock("howdah compact");
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      RecoveredStore recovered =
          StoreRecovery.recover(storage, execution, superblock, withoutLog(Long.MAX_VALUE));
      emptyFreePages(storage, superblock, recovered);
      new FileCopy(new Checkpointer(storage, superblock), storage).compact();
    }
  }

  /** Writes zeros to the image where no block lies; returns how many bytes became zeros. */
  private static long emptyFreePages(
      Storage storage, SuperblockFile superblock, RecoveredStore recovered) {
    try (Region _ = recovered.region();
        DirtyPages _ = recovered.dirty();
        DeferredReplay _ = recovered.replay()) {
      return StoreCompaction.run(new Checkpointer(storage, superblock), recovered);
    }
  }

  /** Returns options of a recovery after which the log is not needed. */
  private static RecoveryOptions withoutLog(long limitLsn) {
    return new RecoveryOptions(
        Backing.MAPPED, 0, limitLsn, RecoveryOptions.DEFAULTS.stashBytes(), false);
  }

  private static FileStorageOptions existing() {
    return FileStorageOptions.DEFAULT.withCreate(false);
  }
}

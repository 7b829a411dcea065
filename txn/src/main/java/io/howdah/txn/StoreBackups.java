package io.howdah.txn;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.FileCopy;
import io.howdah.checkpoint.recovery.RecoveredStore;
import io.howdah.checkpoint.recovery.RecoveryOptions;
import io.howdah.checkpoint.recovery.StoreRecovery;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.FileStorage;
import io.howdah.core.storage.FileStorageOptions;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.log.recovery.RecoveredLog;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Makes stores of backups, and checks stores that nobody has open. {@link Store#backup} makes the
 * backups. Thread-safe.
 */
public final class StoreBackups {

  private StoreBackups() {}

  /**
   * What a check found.
   *
   * @param clean whether the store was closed, and nothing is to be replayed
   * @param fromLsn the store can be restored as of any LSN from this one on
   * @param lsn the newest commit that opening the store would bring back
   * @param records that opening the store would replay
   * @param logBytes of log, read and checked
   */
  public record CheckReport(boolean clean, long fromLsn, long lsn, long records, long logBytes) {}

  /**
   * Checks the files of a store or a backup that nobody has open, and changes nothing: superblock,
   * journal if it is needed, every page of the image and its checksum, every batch and every record
   * of the log.
   *
   * @throws io.howdah.core.storage.StoreLockedException if it is open
   * @throws CorruptStoreException if something that was durable is missing or damaged; names file
   *     and offset
   * @throws UnsupportedStoreException if there is no store
   */
  public static CheckReport check(Path directory) {
    return EngineThread.call(
        Execution.system(),
        "howdah-check",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing().withReadOnly(true))) {
            requireStore(storage);
            try (StorageLock _ = storage.lock("howdah check")) {
              return check(storage, Execution.system());
            } catch (CorruptStoreException e) {
              throw e.in(storage.describe());
            }
          }
        });
  }

  static CheckReport check(Storage storage, Execution execution) {
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      Superblock superblock = file.current();
      new Checkpointer(storage, file).check();
      RecoveredLog log = LogRecovery.check(storage, execution, superblock);
      ClosedGeneration closed = log.closed();
      return new CheckReport(
          superblock.clean(),
          superblock.checkpoint().imageLsn(),
          closed == null ? log.baseLsn() : closed.lastSurvivor(),
          log.counts().records(),
          log.counts().scannedBytes());
    }
  }

  /**
   * Makes a store of a backup, or of any store that nobody has open, which stays as it is.
   *
   * @param target absent or empty
   * @param lsn leaves out what was committed after it; empty leaves nothing out
   * @return the newest LSN that the new store holds
   * @throws IllegalArgumentException if the LSN is out of the backup's range; nothing is touched
   * @throws UnsupportedStoreException if the backup is none, or is incomplete, or the target holds
   *     something; nothing is touched
   * @throws CorruptStoreException if the backup is damaged; names file and offset; the target holds
   *     nothing
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written; what was
   *     copied is removed as far as that is possible
   */
  public static long restore(Path backup, Path target, OptionalLong lsn) {
    return EngineThread.call(
        Execution.system(),
        "howdah-restore",
        () -> {
          try (Storage source = FileStorage.open(backup, existing().withReadOnly(true))) {
            requireStore(source);
            try (StorageLock _ = source.lock("howdah restore")) {
              long limit = limit(source, lsn, Execution.system());
              // Only now, since this makes the directory.
              try (Storage storage = FileStorage.open(target)) {
                requireEmpty(storage);
                return restoreChecked(source, storage, limit, Execution.system());
              }
            }
          }
        });
  }

  static long restore(Storage source, Storage target, OptionalLong lsn, Execution execution) {
    requireEmpty(target);
    return restoreChecked(source, target, limit(source, lsn, execution), execution);
  }

  /** Checks a source and returns up to where it is to be restored. */
  private static long limit(Storage source, OptionalLong lsn, Execution execution) {
    CheckReport found = check(source, execution);
    long limit = lsn.orElse(Long.MAX_VALUE);
    if (lsn.isPresent() && (limit < found.fromLsn() || limit > found.lsn())) {
      throw new IllegalArgumentException(
          source.describe()
              + " can be restored as of an LSN from "
              + found.fromLsn()
              + " to "
              + found.lsn()
              + ", not "
              + limit);
    }
    return limit;
  }

  private static long restoreChecked(
      Storage source, Storage target, long limit, Execution execution) {
    try (SuperblockFile superblock = SuperblockFile.open(source)) {
      FileCopy copy = new FileCopy(new Checkpointer(source, superblock), target);
      try {
        copy.all();
        // Its rings stay where they are; the log, which a check found whole, decides.
        copy.complete(withoutRings(superblock.current()));
        return recover(target, limit, execution);
      } catch (RuntimeException | Error e) {
        copy.discard(e);
        throw e;
      }
    }
  }

  private static long recover(Storage target, long limit, Execution execution) {
    try (SuperblockFile superblock = SuperblockFile.open(target)) {
      RecoveredStore recovered =
          StoreRecovery.recover(
              target,
              execution,
              superblock,
              new RecoveryOptions(
                  Backing.MAPPED, 0, limit, RecoveryOptions.DEFAULTS.stashBytes(), false));
      long base = recovered.report().lsn();
      recovered.replay().close();
      recovered.region().close();
      recovered.dirty().close();
      return Math.min(limit, base);
    }
  }

  /**
   * Gives back what the files of a store occupy and do not need: the log, once the image holds what
   * it says, and pages of the image that hold nothing. May be cut short and repeated.
   *
   * @throws io.howdah.core.storage.StoreLockedException if the store is open
   * @throws io.howdah.core.storage.StorageException if there is no room for a second image
   */
  public static void compact(Path directory) {
    check(directory);
    // Recovers it if need be, and leaves it with everything in the image.
    Store.open(directory).close();
    EngineThread.call(
        Execution.system(),
        "howdah-compact",
        () -> {
          try (Storage storage = FileStorage.open(directory, existing());
              StorageLock _ = storage.lock("howdah compact");
              SuperblockFile superblock = SuperblockFile.open(storage)) {
            new FileCopy(new Checkpointer(storage, superblock), storage).compact();
          }
          return true;
        });
  }

  private static Superblock withoutRings(Superblock superblock) {
    return superblock.rings() instanceof RingPlacement.None
        ? superblock
        : superblock.change().withRings(new RingPlacement.StoreDirectory(1)).build();
  }

  private static FileStorageOptions existing() {
    return FileStorageOptions.DEFAULT.withCreate(false);
  }

  private static void requireStore(Storage storage) {
    if (!SuperblockFile.exists(storage)) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " is no store and no complete backup: the file "
              + SuperblockFile.NAME
              + ", which is written last, is missing");
    }
  }

  static void requireEmpty(Storage storage) {
    List<String> names = storage.list("");
    if (!names.isEmpty()) {
      throw new UnsupportedStoreException(
          storage.describe() + " holds " + names.getFirst() + "; name an empty or a new directory");
    }
  }
}

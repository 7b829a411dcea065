package io.howdah;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.checkpoint.BaseRestore;
import io.howdah.core.Execution;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.store.archive.ArchiveIndex;
import io.howdah.store.archive.ArchiveRestore;
import io.howdah.store.archive.PayloadCoding;
import io.howdah.store.open.StoreLookup;
import io.howdah.store.open.UninterruptedCall;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * Lists, verifies and restores archives, which {@link StoreOptions#withArchive} makes. Nothing of
 * it changes an archive, so all of it may be used while the archive is written. Thread-safe.
 */
public final class StoreArchives {

  private StoreArchives() {}

  /**
   * What was restored.
   *
   * @param lsn of the last commit that the restored store has
   * @param time all commits up to this LSN had been made at this time, by the clock of the machine
   *     that had the store open
   */
  public record Restored(long lsn, Instant time) {}

  /** Returns whether a place holds an archive. */
  public static boolean isArchive(Archive archive) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-archive-ls",
        () -> {
          try (ArchiveTarget place = archive.open()) {
            return ArchiveIndex.isArchive(place);
          }
        });
  }

  /**
   * Returns what an archive has. Reads the headers of its parts.
   *
   * @throws UnsupportedStoreException if there is no archive
   * @throws io.howdah.core.CorruptStoreException if the object that names the archive is damaged
   */
  public static ArchiveReport list(Archive archive) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-archive-ls",
        () -> {
          try (ArchiveTarget place = archive.open();
              PayloadCoding coding = new PayloadCoding(archive)) {
            return new ArchiveReport(ArchiveIndex.read(place, coding), List.of());
          }
        });
  }

  /**
   * Returns what an archive has, after reading all of it and verifying every checksum. What is
   * damaged is in {@link ArchiveReport#damages}.
   *
   * @throws UnsupportedStoreException if there is no archive
   * @throws io.howdah.core.CorruptStoreException if the object that names the archive is damaged
   */
  public static ArchiveReport verify(Archive archive) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-archive-verify",
        () -> {
          try (ArchiveTarget place = archive.open();
              PayloadCoding coding = new PayloadCoding(archive)) {
            ArchiveIndex index = ArchiveIndex.read(place, coding);
            return new ArchiveReport(index, ArchiveRestore.verify(place, index, coding));
          }
        });
  }

  /**
   * Makes a store of an archive.
   *
   * @param target absent or empty
   * @return exactly what was restored
   * @throws IllegalArgumentException if the archive cannot be restored as of this moment: it is out
   *     of range, or commits before it are missing; names what it can be restored as of
   * @throws UnsupportedStoreException if there is no archive, or the target holds something
   * @throws io.howdah.core.CorruptStoreException if the archive is damaged; names object and
   *     offset; the target holds nothing
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written; what was
   *     written is removed as far as that is possible
   */
  public static Restored restore(Archive archive, Path target, ArchiveMoment moment) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-restore",
        () -> {
          archive.directory().ifPresent(place -> FileStorage.requireOutside(place, target));
          return restore(
              archive,
              () -> FileStorage.open(target, FileStorageOptions.DEFAULT),
              moment,
              Execution.system());
        });
  }

  /**
   * Makes a store of an archive, in a storage of the program; see {@link StoreOptions#withStorage}.
   * Otherwise as {@link #restore(Archive, Path, ArchiveMoment)}.
   *
   * @param target opens an empty storage, which is closed afterwards
   */
  public static Restored restore(Archive archive, Supplier<Storage> target, ArchiveMoment moment) {
    return UninterruptedCall.call(
        Execution.system(),
        "howdah-restore",
        () -> restore(archive, target, moment, Execution.system()));
  }

  static Restored restore(
      Archive archive, Supplier<Storage> target, ArchiveMoment moment, Execution execution) {
    try (ArchiveTarget place = archive.open();
        PayloadCoding coding = new PayloadCoding(archive)) {
      ArchiveRestore.Plan plan = ArchiveRestore.plan(ArchiveIndex.read(place, coding), moment);
      try (Storage storage = target.get()) {
        StoreLookup.requireEmpty(storage);
        BaseRestore files = ArchiveRestore.write(place, plan, storage, coding);
        try {
          StoreBackups.recover(
              storage, new StoreBackups.RestoreGoal(plan.lsn(), plan.lsn(), plan.lsn()), execution);
          files.finish();
        } catch (RuntimeException | Error e) {
          files.discard(e);
          throw e;
        }
      }
      return new Restored(plan.lsn(), Instant.ofEpochMilli(plan.millis()));
    }
  }
}

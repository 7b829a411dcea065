package io.howdah.checkpoint;

import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;

/**
 * A directory in which a copy of a store is made. {@link UnfinishedStore#COPY} is its first file
 * and is durable before any other file. It becomes the superblock when all other files are durable,
 * so an incomplete copy is recognizable. Owned by one thread.
 */
final class CopyTarget {

  private final Storage target;

  /** Whether the files in the target belong to this copy. */
  private boolean owned;

  /** Creates it for an empty storage. */
  CopyTarget(Storage target) {
    this.target = target;
  }

  /**
   * Claims the target, and creates its directories and an empty image.
   *
   * @param note what is copied, for the message to those who find the copy unfinished
   */
  void create(String note, StoreId storeId, Geometry geometry) {
    claim(note);
    StoreFiles.createDirectories(target);
    RegionImage.create(target, storeId, geometry);
  }

  /**
   * Claims the target for this copy. The target was empty at an earlier test. Only one copy can
   * create the mark. An opening of a store in the target creates its lock file before it reads the
   * mark. This method creates the mark before it lists the files. So at least one sees the other's
   * file.
   */
  private void claim(String note) {
    requireNothingBut("");
    UnfinishedStore.COPY.begin(target, note);
    try {
      requireNothingBut(UnfinishedStore.COPY.fileName());
    } catch (RuntimeException e) {
      UnfinishedStore.COPY.remove(target, e);
      throw e;
    }
    owned = true;
  }

  private void requireNothingBut(String mark) {
    for (String name : target.list("")) {
      if (!name.equals(mark) && !StoreFiles.isOfFileSystem(name)) {
        throw new UnsupportedStoreException(
            target.describe()
                + " contains "
                + name
                + ", which was created while the copy was prepared; name an empty or a new"
                + " directory");
      }
    }
  }

  /**
   * Writes a superblock for the copied files, which only {@link SuperblockFile#openUnfinished}
   * opens. The files are a store only after {@link #finish}.
   */
  void prepare(Superblock superblock) {
    SuperblockFile.prepare(target, UnfinishedStore.COPY, superblock);
  }

  /**
   * Turns the copies into a store, durably, and creates its lock file. A first opening for reading
   * only would create no lock file, and therefore not exclude writers.
   */
  void finish() {
    try {
      target.lock("howdah copy").close();
    } catch (StoreLockedException e) {
      // An opening that the mark will reject has created the file.
    }
    SuperblockFile.finish(target, UnfinishedStore.COPY);
  }

  /**
   * Removes the copied files if possible, since the files of a failed copy would prevent the next
   * one. Keeps files that belong to another copy or store.
   *
   * @param failure the failure of the copy; receives failures of this method as suppressed ones
   */
  void discard(Throwable failure) {
    if (!owned) {
      return;
    }
    try {
      SuperblockFile.unfinish(target, UnfinishedStore.COPY);
      StoreFiles.delete(target);
      // Deleted last, since it was created first.
      target.delete(UnfinishedStore.COPY.fileName());
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}

package io.howdah.store.open;

import io.howdah.checkpoint.StoreFiles;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;
import java.util.Optional;

/**
 * Looks what a directory holds before anything in it is used: a store, nothing, a store that is not
 * finished, or what is left of one. Changes nothing.
 */
public final class StoreLookup {

  /** Of the lock, its owner, the admin socket and the superblock. */
  private static final String OWN_PREFIX = "store.";

  private StoreLookup() {}

  /**
   * Returns whether there is a store.
   *
   * @return false if there is none, and no file of one, but perhaps a creation that was cut short
   * @throws UnsupportedStoreException if there is an unfinished copy, or files of somebody else
   * @throws CorruptStoreException if there are files of a store, and no superblock
   */
  static boolean exists(Storage storage) {
    requireFinished(storage);
    if (SuperblockFile.exists(storage)) {
      return true;
    }
    requireNothingForeign(storage);
    if (!UnfinishedStore.CREATION.isIn(storage)) {
      requireNothingLeft(storage);
    }
    return false;
  }

  /**
   * Refuses, before there is a lock, which would leave its file, what an opening never takes: an
   * unfinished copy, and files of somebody else. Whatever passes is looked at again under the lock,
   * since another process may be creating a store here.
   *
   * @throws UnsupportedStoreException if there is one of these
   */
  static void requirePlace(Storage storage) {
    requireFinished(storage);
    if (!SuperblockFile.exists(storage)) {
      requireNothingForeign(storage);
    }
  }

  /**
   * Refuses, before there is a lock, what is no store and no part of one; see {@link
   * #requirePlace}.
   *
   * @throws UnsupportedStoreException if there is no store, or one that is not finished
   */
  public static void requireTraces(Storage storage) {
    requireFinished(storage);
    if (!SuperblockFile.exists(storage)
        && !UnfinishedStore.CREATION.isIn(storage)
        && StoreFiles.any(storage).isEmpty()) {
      throw missing(storage);
    }
  }

  private static void requireNothingForeign(Storage storage) {
    for (String name : storage.list("")) {
      if (!StoreFiles.isOne(name)
          && !StoreFiles.isOfFileSystem(name)
          && !name.startsWith(OWN_PREFIX)) {
        throw new UnsupportedStoreException(
            storage.describe()
                + " holds "
                + name
                + ", which is no part of a store, and no store; name an empty or a new directory");
      }
    }
  }

  /**
   * Requires that there is a store.
   *
   * @throws UnsupportedStoreException if there is none, or one that is not finished
   * @throws CorruptStoreException if there are files of a store, and no superblock
   */
  public static void require(Storage storage) {
    requireFinished(storage);
    if (SuperblockFile.exists(storage)) {
      return;
    }
    if (UnfinishedStore.CREATION.isIn(storage)) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " holds a store whose creation was cut short, and no data; open it once for"
              + " writing, or delete the directory");
    }
    requireNothingLeft(storage);
    throw missing(storage);
  }

  private static UnsupportedStoreException missing(Storage storage) {
    return new UnsupportedStoreException(
        "there is no store in " + storage.describe() + ", and none is created here");
  }

  /**
   * Requires that a store is no node of a replica group, whose log is not in its directory.
   *
   * @throws UnsupportedStoreException if it is one
   */
  public static void requireNoReplica(Storage storage, Superblock superblock) {
    if (superblock.rings() instanceof RingPlacement.Replica) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " belongs to a node of replica group "
              + superblock.storeId()
              + ": what the group has committed is in its log, and only partly here. Open it as a"
              + " node of the group (ReplicatedStore.open)");
    }
  }

  /**
   * Requires that there is nothing at all.
   *
   * @throws UnsupportedStoreException if there is something
   */
  public static void requireEmpty(Storage storage) {
    requireFinished(storage);
    for (String name : storage.list("")) {
      if (!StoreFiles.isOfFileSystem(name)) {
        throw new UnsupportedStoreException(
            storage.describe() + " holds " + name + "; name an empty or a new directory");
      }
    }
  }

  private static void requireFinished(Storage storage) {
    if (UnfinishedStore.COPY.isIn(storage)) {
      String note = UnfinishedStore.COPY.note(storage);
      throw new UnsupportedStoreException(
          storage.describe()
              + " holds an unfinished copy of a store"
              + (note.isEmpty() ? "" : " (" + note + ")")
              + ": a backup or a restore was cut short, or is still under way. It cannot be opened;"
              + " if no process is writing it, delete the directory and make the copy again");
    }
  }

  private static void requireNothingLeft(Storage storage) {
    Optional<String> left = StoreFiles.any(storage);
    if (left.isPresent()) {
      throw new CorruptStoreException(
          SuperblockFile.NAME,
          -1,
          "the file is missing from "
              + storage.describe()
              + ", but "
              + left.get()
              + " is there: either the store has lost it, or this is not a complete copy of one."
              + " Restore the store from a backup, or, if nothing in it is needed, delete the"
              + " directory");
    }
  }
}

package io.howdah.checkpoint;

import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;

/**
 * Replaces the files of a store that is not open by those of a copy, as one step: a crash leaves
 * the former store or the copy. The copy is made in a directory of its own. It counts from when its
 * superblock has its name there. Then its other files take their places, and the superblock last.
 * So an opening can repeat the step from any point of it, which is why each one calls {@link
 * #settle} first.
 *
 * <p>Used by one thread, under the lock of the store.
 */
public final class IncomingFiles {

  private static final String DIRECTORY = "incoming";

  private IncomingFiles() {}

  /** Returns an empty storage for a copy; what a former attempt has left is removed. */
  public static Storage claim(Storage storage) {
    if (storage.exists(DIRECTORY)) {
      remove(storage);
    }
    storage.createDirectory(DIRECTORY);
    storage.forceDirectory("");
    return new SubStorage(storage, DIRECTORY);
  }

  /**
   * Makes a copy count whose superblock is prepared and whose other files are durable, and replaces
   * the store by it.
   */
  public static void replace(Storage storage) {
    SuperblockFile.finish(new SubStorage(storage, DIRECTORY), UnfinishedStore.COPY);
    settle(storage);
  }

  /** Ends a replacement that a crash has cut off; one that does not count yet is removed. */
  public static void settle(Storage storage) {
    if (!storage.exists(DIRECTORY)) {
      return;
    }
    Storage incoming = new SubStorage(storage, DIRECTORY);
    if (SuperblockFile.exists(incoming)) {
      int area;
      try (SuperblockFile superblock = SuperblockFile.open(incoming)) {
        area = superblock.current().checkpoint().journalArea();
      }
      // The copy has one journal; the other one would be of a later checkpoint than any of the
      // copy.
      storage.delete(Journal.name(1 - area));
      take(storage, incoming, ImageFile.NAME);
      take(storage, incoming, ImageSums.NAME);
      take(storage, incoming, Journal.name(area));
      storage.forceDirectory(Journal.DIRECTORY);
      incoming.forceDirectory(Journal.DIRECTORY);
      incoming.forceDirectory("");
      storage.forceDirectory("");
      take(storage, incoming, SuperblockFile.NAME);
      incoming.forceDirectory("");
      storage.forceDirectory("");
    }
    remove(storage);
  }

  private static void take(Storage storage, Storage incoming, String name) {
    if (incoming.exists(name)) {
      storage.rename(DIRECTORY + "/" + name, name);
    }
  }

  private static void remove(Storage storage) {
    Storage incoming = new SubStorage(storage, DIRECTORY);
    incoming.delete(SuperblockFile.NAME);
    incoming.forceDirectory("");
    StoreFiles.delete(incoming);
    incoming.delete(UnfinishedStore.COPY.fileName());
    storage.delete(DIRECTORY);
    storage.forceDirectory("");
  }
}

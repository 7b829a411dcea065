package io.howdah.log.commit;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import java.util.Optional;

/**
 * Where the rings of an opening are: in a volatile place if there is one, or else in a directory of
 * the store.
 *
 * <p>A volatile place lies outside of the store's directory, so a copy of that directory names it
 * too, and both may be open at the same time. Its name is therefore tied to the very file of the
 * superblock, by device and inode: a copy finds that the place is not its own, leaves it alone, and
 * recovers as after a power cut. The nonce in the rings' headers tells openings apart.
 */
public final class RingDirectory implements AutoCloseable {

  /** Directory of the rings where no volatile place serves. */
  public static final String DIRECTORY = "rings";

  private static final String PREFIX = "howdah-";

  private final Storage storage;
  private final Optional<Storage> volatilePlace;
  private final RingSet rings;
  private final RingPlacement placement;

  private final Optional<String> whyOnDisk;

  private RingDirectory(
      Storage storage,
      Optional<Storage> volatilePlace,
      RingSet rings,
      RingPlacement placement,
      Optional<String> whyOnDisk) {
    this.whyOnDisk = whyOnDisk;
    this.storage = storage;
    this.volatilePlace = volatilePlace;
    this.rings = rings;
    this.placement = placement;
  }

  /**
   * Creates and maps the rings of a new generation, which the superblock does not name yet. Rings
   * that a crashed opening has left are deleted.
   *
   * <p>If the volatile place cannot be used, because it belongs to another user, is full or
   * read-only, the rings are made in the store's directory.
   *
   * @param superblock the store's current state
   * @param nonce of this opening
   */
  public static RingDirectory create(
      Storage storage, Superblock superblock, LogStart start, long nonce) {
    String name = name(storage, superblock);
    Optional<Storage> place = Optional.empty();
    String why;
    try {
      removeForsaken(storage, superblock);
      removeVolatile(storage, name);
      place = storage.volatilePlace(name, true, neededBytes(superblock));
      if (place.isPresent()) {
        RingSet rings = ringSet(place.get(), "", superblock, start, nonce);
        return new RingDirectory(
            storage, place, rings, new RingPlacement.VolatilePlace(name, nonce), Optional.empty());
      }
      why =
          "no tmpfs can be had with "
              + neededBytes(superblock)
              + " bytes that this process may write to (/dev/shm)";
    } catch (StorageException e) {
      place.ifPresent(made -> discard(made, e));
      why = "rings in memory cannot be had: " + e.getMessage();
    }
    removeFiles(storage, DIRECTORY);
    return new RingDirectory(
        storage,
        Optional.empty(),
        ringSet(storage, DIRECTORY, superblock, start, nonce),
        new RingPlacement.StoreDirectory(nonce),
        Optional.of(why));
  }

  private static RingSet ringSet(
      Storage place, String directory, Superblock superblock, LogStart start, long nonce) {
    return RingSet.create(
        place,
        directory,
        start,
        nonce,
        superblock.geometry().partitions(),
        superblock.geometry().ringBytes());
  }

  private static long neededBytes(Superblock superblock) {
    return (superblock.geometry().ringBytes() + RingLayout.HEADER_LENGTH)
        * superblock.geometry().partitions();
  }

  /**
   * Frees the memory of rings that are not used. If that fails, the next opening but one tries
   * again.
   */
  private static void discard(Storage place, StorageException cause) {
    try (place) {
      removeFiles(place, "");
      place.delete("");
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Returns the name of the volatile place that is this store's own, in its current generation: one
   * of two by turns, so that what an opening that died left under this one is two generations old,
   * and nothing names it any more.
   */
  public static String name(Storage storage, Superblock superblock) {
    return id(superblock) + file(storage) + (superblock.generation() % 2 == 0 ? "-a" : "-b");
  }

  private static String id(Superblock superblock) {
    return PREFIX
        + Long.toHexString(superblock.storeId().high())
        + Long.toHexString(superblock.storeId().low());
  }

  private static String file(Storage storage) {
    FileIdentity file = storage.identity(SuperblockFile.NAME);
    return "-" + Long.toHexString(RedoRecordLayout.mix(file.device(), file.inode()));
  }

  /**
   * Removes the rings that a superblock names, and any in the store's directory: an opening may
   * have died between making rings and naming them, and a power cut may bring deleted ones back. A
   * volatile place that is not this store's own stays as it is.
   */
  public static void remove(Storage storage, Superblock superblock) {
    if (superblock.rings() instanceof RingPlacement.VolatilePlace(String name, long _)
        && name.equals(name(storage, superblock))) {
      removeVolatile(storage, name);
    }
    removeFiles(storage, DIRECTORY);
  }

  /**
   * Removes the rings of stores that were killed and then deleted, as far as that can be proved. A
   * place is named after the file of its store's superblock, by device and inode. If that file is
   * now the superblock of this store, whose id is another, the other store's superblock is gone,
   * and nothing will ever name its rings. A store that was only moved still has its superblock, so
   * its place has another name; whether the superblock of any other place still exists somewhere
   * cannot be told, so that place stays.
   */
  private static void removeForsaken(Storage storage, Superblock superblock) {
    String own = id(superblock);
    String file = file(storage);
    for (String name : storage.volatilePlaces()) {
      boolean isOfThisFile = name.endsWith(file + "-a") || name.endsWith(file + "-b");
      if (isOfThisFile && name.startsWith(PREFIX) && !name.startsWith(own)) {
        removeIfPossible(storage, name);
      }
    }
  }

  private static void removeIfPossible(Storage storage, String name) {
    try {
      removeVolatile(storage, name);
    } catch (StorageException e) {
      // What stays occupies memory and does no other harm.
    }
  }

  private static void removeVolatile(Storage storage, String name) {
    Optional<Storage> place = storage.volatilePlace(name, false, 0);
    if (place.isPresent()) {
      try (Storage left = place.get()) {
        removeFiles(left, "");
        left.delete("");
      }
    }
  }

  private static void removeFiles(Storage place, String directory) {
    for (String file : place.list(directory)) {
      place.delete(directory.isEmpty() ? file : directory + "/" + file);
    }
  }

  /** Returns the rings. */
  public RingSet rings() {
    return rings;
  }

  /** Returns why the rings are files of the store's directory; empty if they are in memory. */
  public Optional<String> whyOnDisk() {
    return whyOnDisk;
  }

  /** Returns what a superblock says to name these rings. */
  public RingPlacement placement() {
    return placement;
  }

  /** Deletes the rings' files, which are unmapped; before this is closed. */
  public void delete() {
    if (volatilePlace.isPresent()) {
      removeFiles(volatilePlace.get(), "");
      volatilePlace.get().delete("");
    } else {
      removeFiles(storage, DIRECTORY);
    }
  }

  /** Unmaps the rings; their files stay unless they were deleted. Idempotent. */
  @Override
  public void close() {
    rings.close();
    volatilePlace.ifPresent(Storage::close);
  }
}

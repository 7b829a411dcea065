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
 * The directory of an opening's rings: a volatile place (a directory on tmpfs) if one is available,
 * otherwise a directory of the store.
 *
 * <p>A volatile place is outside of the store's directory. A copy of the store's directory refers
 * to the same place, and both stores may be open at the same time. The name of a volatile place
 * therefore contains the device and the inode of the superblock's file. A copy detects that the
 * place belongs to another store, does not use it, and recovers as after a power cut. The nonce in
 * the headers of the rings distinguishes openings.
 */
public final class RingDirectory implements AutoCloseable {

  /** Directory of the rings in the store, if no volatile place is used. */
  public static final String DIRECTORY = "rings";

  private static final String PREFIX = "howdah-";
  private static final String MEMORY_SUFFIX = "-m";

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
   * Creates and maps the rings of a new generation, to which the superblock does not refer yet.
   * Deletes rings that a crashed opening has left.
   *
   * <p>If the volatile place belongs to another user, is full, or is read-only, the rings are
   * created in the store's directory.
   *
   * @param superblock the store's current superblock
   * @param nonce the nonce of this opening
   * @param usesMemory whether the opening uses the store's {@linkplain #memoryName memory place};
   *     otherwise what an earlier opening has left there is deleted
   */
  public static RingDirectory create(
      Storage storage, Superblock superblock, LogStart start, long nonce, boolean usesMemory) {
    String name = name(storage, superblock);
    Optional<Storage> place = Optional.empty();
    String why;
    try {
      removeAbandoned(storage, superblock, usesMemory);
      storage.removeAbandonedPlaces();
      removeVolatile(storage, name);
      place = storage.volatilePlace(name, true, neededBytes(superblock));
      if (place.isPresent()) {
        RingSet rings = ringSet(place.get(), "", superblock, start, nonce);
        return new RingDirectory(
            storage, place, rings, new RingPlacement.VolatilePlace(name, nonce), Optional.empty());
      }
      why =
          "no tmpfs is available with "
              + neededBytes(superblock)
              + " bytes that this process may write to (/dev/shm)";
    } catch (StorageException e) {
      place.ifPresent(made -> discard(made, e));
      why = "rings in memory are not available: " + e.getMessage();
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

  /** Returns the number of bytes that the rings of a store take. */
  public static long neededBytes(Superblock superblock) {
    return (superblock.geometry().ringBytes() + RingLayout.HEADER_LENGTH)
        * superblock.geometry().partitions();
  }

  /**
   * Frees the memory of rings that are not used. If this fails, the second next opening repeats it.
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
   * Returns the name of this store's volatile place in its current generation. Generations
   * alternate between two names. So rings of a crashed opening under this name are two generations
   * old, and nothing refers to them.
   */
  public static String name(Storage storage, Superblock superblock) {
    return id(superblock) + file(storage) + (superblock.generation() % 2 == 0 ? "-a" : "-b");
  }

  /**
   * Returns the name of the volatile place for this store's memory ({@code WarmMemory}). All
   * generations use the same one, since an opening takes over the memory of the one before.
   */
  public static String memoryName(Storage storage, Superblock superblock) {
    return id(superblock) + file(storage) + MEMORY_SUFFIX;
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
   * Removes the rings that a superblock refers to, and all rings in the store's directory. An
   * opening may have crashed after it created rings and before the superblock referred to them, and
   * a power cut may restore deleted rings. A volatile place of another store is not changed.
   */
  public static void remove(Storage storage, Superblock superblock) {
    if (superblock.rings() instanceof RingPlacement.VolatilePlace(String name, long _)
        && name.equals(name(storage, superblock))) {
      removeVolatile(storage, name);
    }
    removeFiles(storage, DIRECTORY);
  }

  /**
   * Removes rings of stores that were killed and then deleted, if the deletion is certain. The name
   * of a volatile place contains the device and inode of its store's superblock. If that file is
   * now the superblock of this store, which has another id, the other store's superblock no longer
   * exists, and nothing can refer to its rings. A store that was moved still has its superblock, so
   * its place has another name. The superblock of any other place may exist, so that place is kept,
   * unless {@link Storage#removeAbandonedPlaces} finds that nothing would be lost. Also removes
   * memory of this store that no opening will use.
   */
  private static void removeAbandoned(Storage storage, Superblock superblock, boolean usesMemory) {
    String own = id(superblock);
    String file = file(storage);
    for (String name : storage.volatilePlaces()) {
      boolean isMemory = name.endsWith(file + MEMORY_SUFFIX);
      boolean isOfThisFile = isMemory || name.endsWith(file + "-a") || name.endsWith(file + "-b");
      boolean isNeeded = name.startsWith(own) && (usesMemory || !isMemory);
      if (isOfThisFile && name.startsWith(PREFIX) && !isNeeded) {
        removeIfPossible(storage, name);
      }
    }
  }

  private static void removeIfPossible(Storage storage, String name) {
    try {
      removeVolatile(storage, name);
    } catch (StorageException e) {
      // Rings that remain occupy memory and have no other effect.
    }
  }

  /**
   * Removes a volatile place of this user with its files, if it exists.
   *
   * @throws StorageException if a file cannot be deleted
   */
  public static void removeVolatile(Storage storage, String name) {
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

  /**
   * Returns the reason that the rings are in the store's directory; empty if they are in memory.
   */
  public Optional<String> whyOnDisk() {
    return whyOnDisk;
  }

  /** Returns the reference to these rings for the superblock. */
  public RingPlacement placement() {
    return placement;
  }

  /** Deletes the files of the rings, which are unmapped. Must be called before {@link #close}. */
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

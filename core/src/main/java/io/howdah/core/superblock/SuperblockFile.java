package io.howdah.core.superblock;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.SuperblockCodec.Slot;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The file {@code store.howdah}: the one place from which a store is known. At every instant at
 * least one of its two slots is durable and whole, so a crash leaves the state before or the state
 * after a {@link #write}, and one damaged slot is no loss.
 *
 * <p>Owned by one thread at a time.
 */
public final class SuperblockFile implements AutoCloseable {

  /** Name of the file, in the store's root. */
  public static final String NAME = "store.howdah";

  private final StorageFile file;
  private final boolean hadDamagedSlot;

  // The slot to give up first: never the only one that holds the current state.
  private int expendableSlot;
  private Superblock current;
  private boolean failed;

  private SuperblockFile(
      StorageFile file, Superblock current, int expendableSlot, boolean hadDamagedSlot) {
    this.file = file;
    this.current = current;
    this.expendableSlot = expendableSlot;
    this.hadDamagedSlot = hadDamagedSlot;
  }

  /**
   * Creates the file, durably, and leaves it open. From then on there is a store.
   *
   * @throws StorageException if it exists, or cannot be written
   */
  public static SuperblockFile create(Storage storage, Superblock initial) {
    requireAbsent(storage);
    // Left behind by a creation that was cut short.
    storage.delete(UnfinishedStore.CREATION.fileName());
    UnfinishedStore.CREATION.begin(storage, "");
    return create(storage, UnfinishedStore.CREATION, initial);
  }

  /** Makes what was finished unfinished again, durably, so that its files may go. */
  public static void unfinish(Storage storage, UnfinishedStore begun) {
    if (storage.exists(NAME)) {
      storage.rename(NAME, begun.fileName());
      storage.forceDirectory("");
    }
  }

  /**
   * Makes a store of what was {@linkplain UnfinishedStore#begin begun}, durably, and leaves its
   * superblock open. Everything else that belongs to it is durable before.
   *
   * @throws StorageException if there is a store, or the file cannot be written
   */
  public static SuperblockFile create(Storage storage, UnfinishedStore begun, Superblock initial) {
    prepare(storage, begun, initial);
    finish(storage, begun);
    return new SuperblockFile(storage.open(NAME, Access.READ_WRITE), initial, 0, false);
  }

  /** Writes the first state of a store that is not finished yet; {@link #finish} makes it one. */
  public static void prepare(Storage storage, UnfinishedStore begun, Superblock initial) {
    requireAbsent(storage);
    try (StorageFile unborn = storage.open(begun.fileName(), Access.READ_WRITE)) {
      for (int slot = 0; slot < SuperblockLayout.SLOTS; slot++) {
        unborn.write((long) slot * SuperblockLayout.SLOT_LENGTH, SuperblockCodec.encode(initial));
      }
      unborn.force();
    }
  }

  /** Opens the superblock of a store that is not finished yet, to be worked on until it is. */
  public static SuperblockFile openUnfinished(Storage storage, UnfinishedStore begun) {
    return open(storage, begun.fileName());
  }

  /** Gives a superblock its name, durably: from then on there is a store. */
  public static void finish(Storage storage, UnfinishedStore begun) {
    requireAbsent(storage);
    storage.rename(begun.fileName(), NAME);
    storage.forceDirectory("");
  }

  private static void requireAbsent(Storage storage) {
    if (storage.exists(NAME)) {
      throw new StorageException(
          StorageException.Reason.EXISTS, "create a store in " + storage.describe(), null);
    }
  }

  /** Returns whether a storage holds a store. */
  public static boolean exists(Storage storage) {
    return storage.exists(NAME);
  }

  /**
   * Opens the file and reads the newest valid slot. If the storage can be written, what was read is
   * durable on return, and so is the file's name: both may have come from the page cache, where a
   * process that was killed left them.
   *
   * @throws CorruptStoreException if neither slot is valid
   * @throws UnsupportedStoreException if the file is no superblock, or one of a newer format
   */
  public static SuperblockFile open(Storage storage) {
    return open(storage, NAME);
  }

  private static SuperblockFile open(Storage storage, String name) {
    StorageFile file = storage.open(name, storage.isReadOnly() ? Access.READ : Access.READ_WRITE);
    boolean opened = false;
    try {
      SuperblockFile result = read(file);
      if (!storage.isReadOnly()) {
        file.force();
        // Killed within create, that process had the name and not the directory's force.
        storage.forceDirectory("");
      }
      opened = true;
      return result;
    } finally {
      if (!opened) {
        file.close();
      }
    }
  }

  /** Returns a state as bytes of a slot, for a copy of it elsewhere; see {@link #decode}. */
  public static ByteBuffer encode(Superblock superblock) {
    return SuperblockCodec.encode(superblock);
  }

  /** Returns the state in bytes of {@link #encode}, or nothing if they are damaged. */
  public static Optional<Superblock> decode(ByteBuffer slot) {
    return SuperblockCodec.decode(slot) instanceof Slot.Valid(Superblock superblock)
        ? Optional.of(superblock)
        : Optional.empty();
  }

  static SuperblockFile read(StorageFile file) {
    Slot first = readSlot(file, 0);
    Slot second = readSlot(file, 1);
    if (first instanceof Slot.Valid(Superblock a) && second instanceof Slot.Valid(Superblock b)) {
      requireSameStore(file, a, b);
      return a.sequence() > b.sequence()
          ? new SuperblockFile(file, a, 1, false)
          : new SuperblockFile(file, b, 0, false);
    }
    if (first instanceof Slot.Valid(Superblock a)) {
      return new SuperblockFile(file, a, 1, true);
    }
    if (second instanceof Slot.Valid(Superblock b)) {
      return new SuperblockFile(file, b, 0, true);
    }
    throw unreadable(file, first, second);
  }

  private static void requireSameStore(StorageFile file, Superblock a, Superblock b) {
    if (!a.storeId().equals(b.storeId())) {
      throw new CorruptStoreException(
          file.describe(),
          SuperblockLayout.SLOT_LENGTH,
          "the slots belong to two stores, "
              + a.storeId()
              + " and "
              + b.storeId()
              + "; restore the file that belongs here");
    }
  }

  private static Slot readSlot(StorageFile file, int slot) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(SuperblockLayout.SLOT_LENGTH);
    file.read((long) slot * SuperblockLayout.SLOT_LENGTH, bytes);
    return SuperblockCodec.decode(bytes.flip());
  }

  private static RuntimeException unreadable(StorageFile file, Slot first, Slot second) {
    for (Slot slot : new Slot[] {first, second}) {
      if (slot instanceof Slot.OtherVersion(int version)) {
        return new UnsupportedStoreException(
            file.describe()
                + " has format version "
                + version
                + ", this release reads version "
                + SuperblockLayout.VERSION
                + (version > SuperblockLayout.VERSION
                    ? ": open the store with the release that wrote it, or a later one"
                    : " and none before: dump the data with the release that wrote the store, and"
                        + " load them into a new one"));
      }
    }
    boolean whole =
        file.sizeBytes() >= (long) SuperblockLayout.SLOTS * SuperblockLayout.SLOT_LENGTH;
    if (first instanceof Slot.Foreign && (second instanceof Slot.Foreign || !whole)) {
      return new UnsupportedStoreException(
          file.describe()
              + " is not a superblock: the directory holds something else than a store");
    }
    return new CorruptStoreException(
        file.describe(),
        offset(first, 0),
        "both superblocks are damaged (the second at offset "
            + offset(second, SuperblockLayout.SLOT_LENGTH)
            + ": "
            + problem(second)
            + "): "
            + problem(first)
            + "; nothing was changed, restore the store from a backup");
  }

  private static long offset(Slot slot, long start) {
    return start + (slot instanceof Slot.Damaged(int offset, String _) ? offset : 0);
  }

  private static String problem(Slot slot) {
    return slot instanceof Slot.Damaged(int _, String problem) ? problem : "no superblock there";
  }

  /** Returns the state last read or written. */
  public Superblock current() {
    return current;
  }

  /**
   * Returns whether one of the slots was damaged when the file was opened; the next write heals it.
   */
  public boolean hadDamagedSlot() {
    return hadDamagedSlot;
  }

  /** Returns whether a write has failed: what is durable is unknown then, and no other succeeds. */
  public boolean hasFailed() {
    return failed;
  }

  /**
   * Makes a state the current one, durably. Afterwards {@link #current} returns it with the
   * sequence that follows.
   *
   * @param next the same store's
   * @throws StoreFailedException if an earlier write failed: what is durable is then unknown
   * @throws StorageException if it cannot be written; the store is then to be closed, and opens
   *     with the state before or after
   */
  public void write(Superblock next) {
    if (!next.storeId().equals(current.storeId())) {
      throw new IllegalArgumentException(
          "superblock of store " + next.storeId() + " for store " + current.storeId());
    }
    if (failed) {
      throw new StoreFailedException(
          "an earlier write of " + file.describe() + " failed; close the store and open it again");
    }
    Superblock written = next.change().withSequence(current.sequence() + 1).build();
    failed = true;
    // Forced one after the other: while one slot may be torn the other is whole and durable.
    writeSlot(expendableSlot, written);
    expendableSlot = 1 - expendableSlot;
    writeSlot(expendableSlot, written);
    current = written;
    failed = false;
  }

  private void writeSlot(int slot, Superblock superblock) {
    file.write((long) slot * SuperblockLayout.SLOT_LENGTH, SuperblockCodec.encode(superblock));
    file.force();
  }

  /** Closes the file. Idempotent. */
  @Override
  public void close() {
    file.close();
  }
}

package io.howdah.store.open;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StoreLockedException;
import java.util.function.Supplier;

/**
 * Reads a store's files under a lock that may not exclude writers. Where the lock's file is
 * missing, as in every backup, a writer that comes meanwhile changes files under the reader.
 */
public final class SharedReading {

  private SharedReading() {}

  /**
   * Reads files, and makes sure that no writer came before the end.
   *
   * @throws StoreLockedException if one came; it hides what the reading has thrown, because that is
   *     about files of different times
   */
  public static <T> T of(Storage storage, StorageLock lock, Supplier<T> reading) {
    T result;
    try {
      result = reading.get();
    } catch (RuntimeException e) {
      if (!lock.isHeld()) {
        StoreLockedException locked = locked(storage);
        locked.addSuppressed(e);
        throw locked;
      }
      throw e;
    }
    if (!lock.isHeld()) {
      throw locked(storage);
    }
    return result;
  }

  private static StoreLockedException locked(Storage storage) {
    return new StoreLockedException(
        "store "
            + storage.describe()
            + " was opened by another process or thread while it was read; try again when it is"
            + " closed");
  }
}

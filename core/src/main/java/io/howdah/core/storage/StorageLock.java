package io.howdah.core.storage;

import org.jspecify.annotations.Nullable;

/**
 * The lock of a store: exclusive, or, on storage that is read-only, shared by readers. Thread-safe.
 */
public interface StorageLock extends AutoCloseable {

  /** Returns whether the lock is still held and its file still the one in the directory. */
  boolean isHeld();

  /**
   * Returns whether nobody can change the store while the lock is held. If not, a writer who comes
   * makes {@link #isHeld} false.
   */
  default boolean excludesWriters() {
    return true;
  }

  /**
   * Called by the holder of an exclusive lock about once a second: takes again what was lost of the
   * lock, as far as that is safe, and tells whether the store is still this holder's alone.
   *
   * @return why the holder has to stop, or null if nothing speaks against going on
   */
  default @Nullable String keep() {
    return null;
  }

  /** Releases the lock. Idempotent. */
  @Override
  void close();
}

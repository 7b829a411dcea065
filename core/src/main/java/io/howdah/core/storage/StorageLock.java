package io.howdah.core.storage;

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

  /** Releases the lock. Idempotent. */
  @Override
  void close();
}

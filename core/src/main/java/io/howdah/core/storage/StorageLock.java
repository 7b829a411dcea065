package io.howdah.core.storage;

/** The exclusive lock of a store. Thread-safe. */
public interface StorageLock extends AutoCloseable {

  /** Returns whether the lock is still held and its file still the one in the directory. */
  boolean isHeld();

  /** Releases the lock. Idempotent. */
  @Override
  void close();
}

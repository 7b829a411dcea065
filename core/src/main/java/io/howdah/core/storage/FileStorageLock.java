package io.howdah.core.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock on {@code store.lock}.
 *
 * <p>The system's locks belong to the process and the file: when a process closes any channel on a
 * file, its locks on that file are gone. So nothing but this class ever opens {@code store.lock},
 * and this class asks the registry of stores open in this JVM before it does.
 */
final class FileStorageLock implements StorageLock {

  /** Name of the file, in the store's root. */
  static final String FILE_NAME = "store.lock";

  // Root directories locked by this JVM, by their file key, with a line about the holder.
  private static final ConcurrentMap<Object, String> HELD_HERE = new ConcurrentHashMap<>();

  // Each attempt loses to somebody who replaced the file in between.
  private static final int MAX_ATTEMPTS = 8;

  private final Path root;
  private final Object registryKey;
  private final boolean readOnly;
  private final FileChannel channel;
  private final FileLock lock;
  private final Object fileKey;
  private final AtomicBoolean closed = new AtomicBoolean();

  private FileStorageLock(
      Path root,
      Object registryKey,
      boolean readOnly,
      FileChannel channel,
      FileLock lock,
      Object fileKey) {
    this.root = root;
    this.registryKey = registryKey;
    this.readOnly = readOnly;
    this.channel = channel;
    this.lock = lock;
    this.fileKey = fileKey;
  }

  /**
   * Takes the lock, without waiting.
   *
   * @param readOnly takes a lock that other processes may share and that excludes a writer; the
   *     file must exist
   * @throws StoreLockedException if somebody holds it
   */
  static FileStorageLock acquire(Path root, String owner, boolean readOnly) throws IOException {
    return acquire(root, owner, readOnly, PrivateFiles::open);
  }

  /** Takes the lock on a file opened by the caller's means. */
  static FileStorageLock acquire(Path root, String owner, boolean readOnly, Opener opener)
      throws IOException {
    Object registryKey = fileKey(root);
    String self = StoreOwner.describeSelf(owner);
    String holderHere = HELD_HERE.putIfAbsent(registryKey, self);
    if (holderHere != null) {
      throw new StoreLockedException(
          "store "
              + root
              + " is already open in this JVM by "
              + holderHere
              + "; use that one, or close it first");
    }
    FileStorageLock acquired = null;
    try {
      acquired = lockFile(root, registryKey, readOnly, opener);
      if (!readOnly) {
        StoreOwner.write(root, self);
      }
      return acquired;
    } finally {
      if (acquired == null) {
        HELD_HERE.remove(registryKey);
      }
    }
  }

  /** Opens the lock file, which exists, not through a symbolic link. */
  interface Opener {
    FileChannel open(Path path, boolean writable) throws IOException;
  }

  private static FileStorageLock lockFile(
      Path root, Object registryKey, boolean readOnly, Opener opener) throws IOException {
    Path path = root.resolve(FILE_NAME);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!readOnly) {
        createIfMissing(path);
      }
      FileStorageLock candidate = tryLockFile(root, path, registryKey, readOnly, opener);
      if (candidate != null) {
        return candidate;
      }
    }
    throw new StoreLockedException(
        "store "
            + root
            + ": "
            + FILE_NAME
            + " is being replaced again and again by somebody else; stop that first");
  }

  /** Returns null if the file was replaced between its look-up and the lock. */
  private static @Nullable FileStorageLock tryLockFile(
      Path root, Path path, Object registryKey, boolean readOnly, Opener opener)
      throws IOException {
    FileChannel channel = null;
    FileStorageLock result = null;
    try {
      Object before = fileKey(path);
      channel = opener.open(path, !readOnly);
      FileLock lock = channel.tryLock(0, Long.MAX_VALUE, readOnly);
      if (lock == null) {
        throw new StoreLockedException(
            "store "
                + root
                + " is open elsewhere, by "
                + StoreOwner.read(root)
                + "; close it there, or end that process");
      }
      // Who locks a file that is no longer in the directory excludes nobody.
      if (before.equals(fileKey(path))) {
        result = new FileStorageLock(root, registryKey, readOnly, channel, lock, before);
      }
      return result;
    } catch (OverlappingFileLockException e) {
      throw new StoreLockedException(
          "store "
              + root
              + " is already open in this JVM, from another class loader; close it there first",
          e);
    } catch (NoSuchFileException e) {
      if (readOnly) {
        throw e;
      }
      return null;
    } finally {
      if (result == null && channel != null) {
        channel.close();
      }
    }
  }

  private static void createIfMissing(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      try {
        PrivateFiles.create(path).close();
      } catch (FileAlreadyExistsException e) {
        // Another process came first; the lock decides between the two.
      }
    }
  }

  @Override
  public boolean isHeld() {
    try {
      return !closed.get() && lock.isValid() && fileKey.equals(fileKey(root.resolve(FILE_NAME)));
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (!readOnly) {
      StoreOwner.remove(root);
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw new StorageException(
          FailureReasons.of(e), "release the lock on " + root.resolve(FILE_NAME), e);
    } finally {
      HELD_HERE.remove(registryKey);
    }
  }

  /** Returns what tells files apart: device and inode, or the path where there is no such thing. */
  private static Object fileKey(Path path) throws IOException {
    Object key =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    return key == null ? path.toRealPath() : key;
  }
}

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
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock on {@code store.lock}.
 *
 * <p>The system's locks belong to the process and the file: when a process closes any channel on a
 * file, its locks on that file are gone. So nothing but this class ever opens {@code store.lock},
 * and this class asks the registry of stores open in this JVM before it does. For the same reason
 * all readers of a store in this JVM share one channel, which the last of them closes.
 */
final class FileStorageLock implements StorageLock {

  /** Name of the file, in the store's root. */
  static final String FILE_NAME = "store.lock";

  // What this JVM holds, by the file key of the root directory. Guarded by itself.
  private static final Map<Object, Holding> HELD_HERE = new HashMap<>();

  // Each attempt loses to somebody who replaced the file in between.
  private static final int MAX_ATTEMPTS = 8;

  private final Path root;
  private final Object registryKey;
  private final Holding holding;
  private final AtomicBoolean closed = new AtomicBoolean();

  private FileStorageLock(Path root, Object registryKey, Holding holding) {
    this.root = root;
    this.registryKey = registryKey;
    this.holding = holding;
  }

  /** A lock of the system's, and how many share it here. */
  private static final class Holding {
    private final String owner;
    private final boolean readOnly;
    private final FileChannel channel;
    private final FileLock lock;
    private final Object fileKey;
    private int sharers; // guarded by HELD_HERE

    Holding(String owner, boolean readOnly, FileChannel channel, FileLock lock, Object fileKey) {
      this.owner = owner;
      this.readOnly = readOnly;
      this.channel = channel;
      this.lock = lock;
      this.fileKey = fileKey;
    }
  }

  /**
   * Takes the lock, without waiting.
   *
   * @param readOnly takes a lock that other readers may share, here and in other processes, and
   *     that excludes a writer. Where the file is missing, so that a writer would have to create it
   *     first, the lock only notices that, and excludes nobody
   * @throws StoreLockedException if somebody holds it
   */
  static StorageLock acquire(Path root, String owner, boolean readOnly) throws IOException {
    return acquire(root, owner, readOnly, PrivateFiles::open);
  }

  /** Takes the lock on a file opened by the caller's means. */
  static StorageLock acquire(Path root, String owner, boolean readOnly, Opener opener)
      throws IOException {
    Object registryKey = fileKey(root);
    String self = StoreOwner.describeSelf(owner);
    synchronized (HELD_HERE) {
      Holding holding = HELD_HERE.get(registryKey);
      if (holding != null && !(readOnly && holding.readOnly)) {
        throw new StoreLockedException(
            "store "
                + root
                + " is already open in this JVM by "
                + holding.owner
                + "; use that one, or close it first");
      }
      if (holding == null) {
        Path path = root.resolve(FILE_NAME);
        if (readOnly && !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
          return new MissingLock(path);
        }
        holding = lockFile(root, self, readOnly, opener);
        HELD_HERE.put(registryKey, holding);
        if (!readOnly) {
          StoreOwner.write(root, self);
        }
      }
      holding.sharers++;
      return new FileStorageLock(root, registryKey, holding);
    }
  }

  /** In place of a lock whose file is missing: held until the file appears. */
  private record MissingLock(Path path) implements StorageLock {
    @Override
    public boolean isHeld() {
      return !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public boolean excludesWriters() {
      return false;
    }

    @Override
    public void close() {}
  }

  /** Opens the lock file, which exists, not through a symbolic link. */
  interface Opener {
    FileChannel open(Path path, boolean writable) throws IOException;
  }

  private static Holding lockFile(Path root, String owner, boolean readOnly, Opener opener)
      throws IOException {
    Path path = root.resolve(FILE_NAME);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!readOnly) {
        createIfMissing(path);
      }
      Holding candidate = tryLockFile(root, path, owner, readOnly, opener);
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
  private static @Nullable Holding tryLockFile(
      Path root, Path path, String owner, boolean readOnly, Opener opener) throws IOException {
    FileChannel channel = null;
    Holding result = null;
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
        result = new Holding(owner, readOnly, channel, lock, before);
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
      return !closed.get()
          && holding.lock.isValid()
          && holding.fileKey.equals(fileKey(root.resolve(FILE_NAME)));
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    synchronized (HELD_HERE) {
      if (--holding.sharers > 0) {
        return;
      }
      if (!holding.readOnly) {
        StoreOwner.remove(root);
      }
      try {
        holding.channel.close();
      } catch (IOException e) {
        throw new StorageException(
            FailureReasons.of(e), "release the lock on " + root.resolve(FILE_NAME), e);
      } finally {
        HELD_HERE.remove(registryKey);
      }
    }
  }

  /** Returns what tells files apart: device and inode, or the path where there is no such thing. */
  private static Object fileKey(Path path) throws IOException {
    Object key =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    return key == null ? path.toRealPath() : key;
  }
}

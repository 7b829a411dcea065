package io.howdah.core.storage.file;

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
import org.jspecify.annotations.Nullable;

/**
 * A lock of the system's on one file, of two parts: the file's first byte, and the rest.
 *
 * <p>The system's locks belong to process and file: when any part of a process closes any channel
 * on a file, all locks of that process on that file are gone, and nobody is told. {@link #keep}
 * takes them again, one part after the other. Whoever wants the lock takes the first part, then the
 * second, so nobody else can get both while the holder has either.
 *
 * <p>For one thread at a time.
 */
final class LockFile implements AutoCloseable {

  private static final long FIRST_BYTES = 1;

  // Each attempt loses to somebody who replaced the file in between.
  private static final int MAX_ATTEMPTS = 8;

  /**
   * Channels on files that another class loader of this JVM has locked, by file key. To close one
   * would drop that lock, so they stay open, and the next attempt uses them. Guarded by itself.
   */
  private static final Map<Object, FileChannel> KEPT_OPEN = new HashMap<>();

  private final Path path;
  private final boolean shared;
  private final Opener opener;
  private FileChannel channel;
  private Object fileKey;
  private @Nullable FileLock first;
  private @Nullable FileLock second;

  private LockFile(
      Path path,
      boolean shared,
      Opener opener,
      FileChannel channel,
      Object fileKey,
      FileLock first,
      FileLock second) {
    this.path = path;
    this.shared = shared;
    this.opener = opener;
    this.channel = channel;
    this.fileKey = fileKey;
    this.first = first;
    this.second = second;
  }

  /** Opens the lock file, which exists, not through a symbolic link. */
  interface Opener {
    FileChannel open(Path path, boolean writable) throws IOException;
  }

  /** Somebody else has the lock. */
  static final class HeldException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean here;

    HeldException(boolean here) {
      super("the lock is held", null, false, false);
      this.here = here;
    }

    /** Returns whether the holder is another class loader of this JVM. */
    boolean isHere() {
      return here;
    }
  }

  /** The file was replaced at every attempt. */
  static final class ReplacedException extends Exception {
    private static final long serialVersionUID = 1L;

    ReplacedException() {
      super("the file is replaced again and again", null, false, false);
    }
  }

  /**
   * Takes a lock, without waiting.
   *
   * @param shared takes one that others may share, on a file that exists; otherwise the file is
   *     created if it is missing
   */
  static LockFile acquire(Path path, boolean shared, Opener opener)
      throws IOException, HeldException, ReplacedException {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!shared) {
        createIfMissing(path);
      }
      LockFile candidate = tryAcquire(path, shared, opener);
      if (candidate != null) {
        return candidate;
      }
    }
    throw new ReplacedException();
  }

  /** Returns null if the file was replaced between its look-up and the lock. */
  private static @Nullable LockFile tryAcquire(Path path, boolean shared, Opener opener)
      throws IOException, HeldException {
    FileChannel channel = null;
    Object before = null;
    FileLock first = null;
    LockFile result = null;
    boolean isKept = false;
    try {
      before = fileKey(path);
      channel = keptOpen(before);
      if (channel == null) {
        channel = opener.open(path, !shared);
      }
      first = channel.tryLock(0, FIRST_BYTES, shared);
      FileLock second =
          first == null ? null : channel.tryLock(FIRST_BYTES, Long.MAX_VALUE - FIRST_BYTES, shared);
      if (first == null || second == null) {
        throw new HeldException(false);
      }
      // Who locks a file that is no longer in the directory excludes nobody.
      if (before.equals(fileKey(path))) {
        result = new LockFile(path, shared, opener, channel, before, first, second);
      }
      return result;
    } catch (OverlappingFileLockException e) {
      if (first != null) {
        first.release();
      }
      keepOpen(before, channel);
      isKept = true;
      throw new HeldException(true);
    } catch (NoSuchFileException e) {
      if (shared) {
        throw e;
      }
      return null;
    } finally {
      if (result == null && channel != null && !isKept) {
        channel.close();
      }
    }
  }

  private static @Nullable FileChannel keptOpen(Object key) {
    synchronized (KEPT_OPEN) {
      return KEPT_OPEN.remove(key);
    }
  }

  private static void keepOpen(@Nullable Object key, @Nullable FileChannel channel) {
    if (key != null && channel != null) {
      synchronized (KEPT_OPEN) {
        KEPT_OPEN.put(key, channel);
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

  /** Returns whether the lock is held, as far as this process was told, and the file in place. */
  boolean isHeld() {
    try {
      FileLock lock = first != null ? first : second;
      return lock != null && lock.isValid() && fileKey.equals(fileKey(path));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Takes again what was lost of the lock: all of it if the file was removed or replaced, and each
   * part by turns in any case, because a lost one cannot be told from one that is held.
   *
   * <p>The second part is let go and taken only while the first is held, so an attempt from
   * elsewhere cannot come between. If the first part cannot be taken, somebody is about to fail at
   * the second one; only if that lasts until the next call it counts as lost.
   *
   * @return whether nobody else has the lock
   * @throws IOException if that cannot be told now
   */
  boolean keep() throws IOException {
    if (!isInPlace()) {
      return takeAnew();
    }
    boolean hadFirst = first != null;
    if (!hadFirst) {
      first = take(0, FIRST_BYTES);
      if (first == null) {
        return false;
      }
    }
    FileLock old = second;
    second = null;
    if (old != null) {
      old.release();
    }
    second = take(FIRST_BYTES, Long.MAX_VALUE - FIRST_BYTES);
    if (second == null) {
      return false;
    }
    if (hadFirst) {
      old = first;
      first = null;
      if (old != null) {
        old.release();
      }
      first = take(0, FIRST_BYTES);
    }
    return true;
  }

  private @Nullable FileLock take(long offset, long lengthBytes) throws IOException {
    try {
      return channel.tryLock(offset, lengthBytes, shared);
    } catch (OverlappingFileLockException e) {
      return null; // another class loader of this JVM came between
    }
  }

  private boolean isInPlace() throws IOException {
    try {
      return fileKey.equals(fileKey(path));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private boolean takeAnew() throws IOException {
    try {
      LockFile next = acquire(path, shared, opener);
      FileChannel old = channel;
      channel = next.channel;
      fileKey = next.fileKey;
      first = next.first;
      second = next.second;
      old.close(); // on another file
      return true;
    } catch (HeldException | ReplacedException e) {
      return false;
    }
  }

  /** Removes the file, while it is locked. */
  void delete() throws IOException {
    if (isInPlace()) {
      Files.delete(path);
    }
  }

  /** Releases the lock. */
  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Returns what tells files apart: device and inode, or the path where there is no such thing. */
  static Object fileKey(Path path) throws IOException {
    Object key =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    return key == null ? path.toRealPath() : key;
  }
}

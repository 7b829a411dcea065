package io.howdah.core.storage;

import io.howdah.core.Backing;
import io.howdah.core.Region;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The files of one store: a directory, reached only through this port. The implementation over real
 * files is in {@code io.howdah.core.storage.file}; the test kit has one that simulates crashes.
 *
 * <p>Names are relative, with {@code /} between components, without {@code .} or {@code ..}.
 * Nothing follows symbolic links. New files and directories are for their owner only (0600, 0700).
 *
 * <p>Durability: what {@link StorageFile#force} returned for survives a power cut, provided that
 * the file's directory entry does, which takes {@link #forceDirectory} after create, rename or
 * delete. {@code close} never implies force.
 *
 * <p>Failures are {@link StorageException}s naming operation, file and offset. Thread-safe; file
 * operations run on the engine's own platform threads only.
 */
public interface Storage extends AutoCloseable {

  /** Returns the name users know this storage by, for messages: usually an absolute path. */
  String describe();

  /** Returns whether a file or directory of this name exists. */
  boolean exists(String name);

  /**
   * Returns the names, relative to {@code directory}, of the entries in it, sorted; empty if
   * absent.
   */
  List<String> list(String directory);

  /** Creates a directory; its parent must exist. No effect if it is there already. */
  void createDirectory(String name);

  /** Creates a file that must not exist and opens it for reading and writing. */
  StorageFile create(String name);

  /** Opens an existing regular file. */
  StorageFile open(String name, Access access);

  /** Renames a file, atomically replacing {@code to} if it exists. */
  void rename(String from, String to);

  /**
   * Deletes a file or an empty directory; no effect if absent. The empty string is the root, which
   * only a {@linkplain #volatilePlace volatile place} gives up.
   */
  void delete(String name);

  /** Forces the entries of a directory; the empty string is the root. */
  void forceDirectory(String name);

  /**
   * Takes the lock of the store, held by this process until closed: the exclusive one, or, where
   * nothing can be written, one that readers share.
   *
   * @param owner one line about the holder, kept beside the lock for the message others get
   * @throws StoreLockedException if another store, in this JVM or elsewhere, holds it; names the
   *     holder
   */
  StorageLock lock(String owner);

  /**
   * Maps a whole file that exists, shared: a store is the kernel's to keep at once, so it survives
   * the process, not the machine. The file's blocks must have been written before, because a full
   * disk under a mapping cannot be reported in time.
   */
  Region mapShared(String name, long lengthBytes);

  /**
   * Maps the first {@code lengthBytes} of a file privately: reads see the file lazily, writes stay
   * with this process and never reach the file. A shorter file is extended, sparsely, first.
   */
  Region mapPrivate(String name, long lengthBytes);

  /**
   * As {@link #mapPrivate(String, long)}, of a file of which nothing is read from some offset on:
   * the region has zeros there, whether or not the file is mapped there.
   *
   * @param usedBytes that offset; the file holds zeros from it on, or what the caller overwrites
   *     before it reads
   */
  default Region mapPrivate(String name, long lengthBytes, long usedBytes) {
    return mapPrivate(name, lengthBytes);
  }

  /**
   * Maps the first {@code lengthBytes} of a file, which has as many, for reading only. The file is
   * read lazily, and stays as it is while it is mapped.
   */
  default Region mapReadOnly(String name, long lengthBytes) {
    return mapPrivate(name, lengthBytes);
  }

  /**
   * Returns zeroed memory that no file keeps, touched lazily: for the side tables of the engine and
   * for regions without a file.
   */
  Region allocate(long lengthBytes);

  /**
   * Returns whether memory for a region is asked for in large pages of the processor where no file
   * backs it: all of a loaded region, and what a mapped one grows by.
   */
  default boolean usesLargePages(Backing backing) {
    return false;
  }

  /**
   * Returns whether every access to memory that threads share has to go through a {@link Region}
   * from here: a simulator schedules threads at each. Otherwise the engine may keep small tables
   * where an access is cheapest.
   */
  default boolean observesMemory() {
    return false;
  }

  /** Returns device and inode of a file. */
  FileIdentity identity(String name);

  /**
   * Returns the identity of this run of the kernel, the same until the machine restarts; empty if
   * it is not known. Equal identities do not prove that unforced contents of files survived
   * (docs/protocol.md, R27).
   */
  Optional<UUID> boot();

  /**
   * Returns a note of the files in which the JVM of this process would report a fatal error, for
   * {@link #fatalError}. It takes at most 16 KiB in UTF-8; empty if nothing is known.
   */
  default String fatalErrorNote() {
    return "";
  }

  /**
   * Returns the file in which the process of a note has reported a fatal error; empty if there is
   * none, or if it cannot be seen from here.
   *
   * @param note result of {@link #fatalErrorNote} in a process that has ended
   */
  default Optional<String> fatalError(String note) {
    return Optional.empty();
  }

  /**
   * Returns a place for files that live exactly as long as the machine runs (tmpfs), if there is
   * one with {@code neededBytes} free. It is exclusive to the store; {@code name} tells stores
   * apart.
   *
   * @param create whether to create it, which fails if it is there; otherwise it is opened if
   *     present
   */
  Optional<Storage> volatilePlace(String name, boolean create, long neededBytes);

  /**
   * Returns the names of {@linkplain #volatilePlace volatile places} of this user, of any store, as
   * far as they can be listed; of very many only some.
   */
  default List<String> volatilePlaces() {
    return List.of();
  }

  /**
   * Removes {@linkplain #volatilePlace volatile places} of this user that nothing can need: the
   * process that made the place has ended, the store's directory is gone from its path, and all
   * records of the rings are in the log too, so that even a store that was moved lacks nothing.
   * What cannot be removed, or judged, stays.
   */
  default void removeAbandonedPlaces() {}

  /** Returns how many more bytes files may take, as far as the system tells. */
  long usableBytes();

  /** Returns whether nothing can be written here. */
  boolean isReadOnly();

  /** Closes what is still open. Implies no force. Idempotent. */
  @Override
  void close();

  /** How a file is opened. */
  enum Access {
    /** Buffered reads; writing throws. */
    READ,
    /** Buffered reads and writes. */
    READ_WRITE,
    /**
     * Reads and writes past the page cache where the file system allows; then offsets, lengths and
     * buffers are multiples of {@link StorageFile#alignmentBytes}. Where nothing can be written it
     * reads.
     */
    DIRECT
  }
}

package io.howdah.archive;

import io.howdah.core.storage.Storage;
import java.nio.ByteBuffer;
import java.util.SortedMap;

/**
 * A place for archives: objects with a name and bytes. Names, lengths and checksums are those of
 * the archive, so a target needs no metadata. Names have up to 100 characters of {@code a-z 0-9 . -
 * _} and do not begin with a point.
 *
 * <p>A target may be slow, full or gone at any time: it tells so by an exception, best a {@link
 * io.howdah.core.storage.StorageException}, and the archive tries again later. It must not return
 * normally from {@link #put} or {@link #force} before the bytes survive whatever the archive is
 * for. After a failure of an object the archive does not append to this object again.
 *
 * <p>Used by one thread at a time. Buffers are direct; their contents count from position to limit.
 */
public interface ArchiveTarget extends AutoCloseable {

  /** Returns a target over a storage, whose root holds nothing else, and which it closes. */
  static ArchiveTarget over(Storage storage) {
    return new StorageTarget(storage);
  }

  /**
   * Returns a target over an object store, which holds nothing else below the keys that it has, and
   * which it closes. An object that is appended to is kept as parts; at most 8 MiB of it are in
   * memory until they are forced.
   */
  static ArchiveTarget over(ObjectStore objects) {
    return new PartsTarget(objects);
  }

  /** Returns a name for messages, such as the path of a directory. */
  String describe();

  /** Returns the names of all objects and their lengths in bytes. */
  SortedMap<String, Long> list();

  /**
   * Writes a whole object, durably, in place of one of the same name. After a failure or a crash
   * there is the former object, the new one, or none.
   */
  void put(String name, ByteBuffer bytes);

  /**
   * Appends to an object. The bytes may be visible and durable at any time from now on; {@link
   * #force} waits until they are.
   *
   * @param offset the length of the object so far; 0 creates it, which fails if it exists
   */
  void append(String name, long offset, ByteBuffer bytes);

  /** Makes durable what was appended to an object, and its name. */
  void force(String name);

  /**
   * Makes durable all of an object that another process has appended to and has perhaps not forced
   * before it ended. By default this does nothing, as for places where all that can be read is
   * durable.
   */
  default void keep(String name) {}

  /** Ends the appends to an object, which frees what the target keeps for it. */
  void finish(String name);

  /**
   * Reads until the buffer is full or the object ends.
   *
   * @return the number of bytes read
   * @throws io.howdah.core.storage.StorageException with the reason {@code MISSING} if there is no
   *     such object, for example because it was removed since {@link #list}
   */
  int read(String name, long offset, ByteBuffer bytes);

  /** Removes an object; no effect if there is none. */
  void remove(String name);

  /** Closes what is open. What was not forced may be lost. */
  @Override
  void close();
}

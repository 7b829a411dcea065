package io.howdah.archive;

import java.util.List;
import java.util.Optional;
import java.util.function.ObjLongConsumer;

/**
 * A place that holds whole objects by key and cannot append to them, as object stores do. {@link
 * ArchiveTarget#over(ObjectStore)} makes a place for archives of it. Keys have characters of {@code
 * a-z 0-9 . - _ /}.
 *
 * <p>What an archive relies on: an object of which {@link #put} has returned is durable, and every
 * listing that begins later has it, until a removal of it begins. A call that fails, or whose
 * process dies, may have been carried out, may be carried out at any later time, or never. A
 * removal of several objects may be carried out in part.
 *
 * <p>A failure is told by an exception, best a {@link io.howdah.core.storage.StorageException}.
 * Used by one thread at a time.
 */
public interface ObjectStore extends AutoCloseable {

  /** Returns a name for messages, such as the address of the bucket. */
  String describe();

  /** Stores a range of bytes as an object, durably, in place of one with the same key. */
  void put(String key, byte[] bytes, int from, int length);

  /**
   * Reads a range of an object.
   *
   * @param length at least 0; the range is within the object
   * @return exactly {@code length} bytes; empty if there is no such object
   */
  Optional<byte[]> get(String key, long from, int length);

  /** Passes on the keys with a prefix, and the lengths of their objects, in the order of keys. */
  void list(String prefix, ObjLongConsumer<String> found);

  /** Returns whether there is an object whose key has a prefix. */
  boolean hasAny(String prefix);

  /** Removes objects; no effect for those that are not there. */
  void remove(List<String> keys);

  /** Frees what was opened to reach the place. */
  @Override
  void close();
}

package io.howdah.server.cache;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Items by key, as one connection sees them. Each method is atomic. An expired or flushed item is
 * not there for any of them. Used by one thread at a time; other connections have their own.
 */
public interface Cache {

  /** Returns the time in seconds since 1970, as this cache counts it. */
  long now();

  /** Returns the item under a key, or null. Writes nothing persistent, and notes no access. */
  @Nullable Item get(byte[] key);

  /** Notes that the item under a key was read. Writes nothing persistent. */
  void accessed(byte[] key);

  /**
   * Returns when the item under a key was last stored or read, in seconds since 1970. Approximate:
   * what is not remembered counts as of the server's start.
   */
  long lastUse(byte[] key);

  /** Returns whether the item under a key is remembered as read since it was stored. */
  boolean isFetched(byte[] key);

  /**
   * Changes the item under a key. Storing an item that has expired already removes the one there.
   *
   * @return what the update returned, with the CAS value that it got
   * @throws CacheFullException if there is no memory; nothing has changed
   */
  @Nullable Item update(byte[] key, ItemUpdate update);

  /**
   * Invalidates all items that were stored before a time.
   *
   * @param at seconds since 1970; up to now, it takes effect at once
   */
  void flush(long at);

  /** Begins a walk through all items. */
  ItemWalk walk();

  /** Calls a function with the name and value of every row of {@code stats} that the cache has. */
  void statistics(BiConsumer<String, String> row);
}

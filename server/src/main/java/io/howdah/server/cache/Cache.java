package io.howdah.server.cache;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Items by key, as one connection sees them. Each method is atomic. An expired or flushed item is
 * not there for any of them. Used by one thread at a time; other connections have their own.
 */
public interface Cache {

  /** Returns the time in seconds since 1970, as this cache counts it. */
  long now();

  /**
   * Returns the item under a key, or null. Writes nothing persistent, and notes no access. A large
   * value can be read: see {@link #reader}.
   *
   * @throws CacheBusyException if the value is large, and too many of them are being read
   */
  @Nullable Item get(byte[] key);

  /** Returns the item under a key, or null, as {@link #get}; a large value cannot be read. */
  default @Nullable Item peek(byte[] key) {
    return get(key);
  }

  /**
   * Looks for the items under several keys, in less time than {@link #get} for one after the other.
   * {@link #found} returns them.
   *
   * @param keys are not changed before the last call of {@link #found}
   */
  void find(List<byte[]> keys);

  /**
   * Returns the item under one of the keys of the last {@link #find}, or null, as {@link #get}
   * would have returned it then. Nothing was changed through this cache since.
   *
   * @throws CacheBusyException as {@link #get}
   */
  @Nullable Item found(int index);

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
   * Changes the item under a key as {@link #update}. A large value of the item returned can be read
   * if the item had it before: see {@link #reader}.
   *
   * @throws CacheBusyException if the value is large, and too many of them are being read
   */
  default @Nullable Item updateAndGet(byte[] key, ItemUpdate update) {
    return update(key, update);
  }

  /**
   * Returns a reader of the large value of the item that the last call of {@link #get} or {@link
   * #updateAndGet} has returned. No other call on this cache may lie between.
   */
  default ValueReader reader() {
    throw new IllegalStateException("no item with a large value was read");
  }

  /**
   * Begins to store a large value.
   *
   * @param length of the whole value in bytes
   * @return null if the value is to be handed over as an array, because it is not large
   * @throws CacheFullException if a value of this length never fits
   */
  default @Nullable ValueWriter writer(int length) {
    return null;
  }

  /** Ends the use of this cache: what {@link #get} has kept readable is given free. */
  default void release() {}

  /**
   * Gives up the place among those that wait to read large values, if a call has thrown {@link
   * CacheBusyException}. A caller that will not call again soon must do so: others wait behind it.
   */
  default void giveUpPlace() {}

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

package io.howdah.server.cache;

import java.nio.ByteBuffer;

/**
 * Takes one large value piece by piece. It is not visible before an item with {@link #value} is
 * stored. For one thread at a time.
 */
public interface ValueWriter extends AutoCloseable {

  /**
   * Appends the bytes that a buffer has left.
   *
   * @throws CacheFullException if there is no room for them; then only {@link #close} may follow
   */
  void add(ByteBuffer source);

  /** Returns how many bytes of memory it holds. */
  int heldBytes();

  /**
   * Returns the value, which an item may be given now.
   *
   * @throws IllegalStateException if bytes are missing
   */
  LargeValue value();

  /** Reads what was written. The reader is of no use once this is closed. */
  ValueReader reader();

  /** Ends it. A value that no item was given is freed. Further calls do nothing. */
  @Override
  void close();
}

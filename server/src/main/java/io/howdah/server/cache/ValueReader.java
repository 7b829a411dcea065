package io.howdah.server.cache;

import org.jspecify.annotations.Nullable;

/**
 * Reads one large value from its beginning to its end. The value stays as it is until {@link
 * #close}, also if its item is replaced or removed meanwhile. For one thread at a time.
 */
public interface ValueReader extends AutoCloseable {

  /** Returns the length of the whole value in bytes. */
  int length();

  /** Returns the next bytes, at most 64 KiB; null after the last. */
  byte @Nullable [] next();

  /** Gives the value free. Further calls do nothing. */
  @Override
  void close();
}

package io.howdah.server.cache;

import java.io.Serial;

/** There is no memory for an item, and nothing may be evicted for it. Nothing has changed. */
public final class CacheFullException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  /** Makes the exception. */
  public CacheFullException(String message) {
    super(message);
  }
}

package io.howdah.server.cache;

import java.io.Serial;

/**
 * Too many large values are being read at once. Nothing has changed; the same call succeeds once
 * others have ended.
 */
public final class CacheBusyException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  /** Makes the exception, without a stack trace: it is no defect. */
  public CacheBusyException() {
    super("too many large values are being read", null, false, false);
  }
}

package io.howdah.txn;

import io.howdah.core.HowdahException;

/**
 * The transaction lost against another one and was aborted; nothing of it happened. {@code
 * Store.run}, {@code Store.call} and {@code Store.read} repeat the body themselves, so only users
 * of a session ({@code Store.session()}) handle this exception: by beginning anew.
 *
 * <p>Inside a body it passes through user code on its way out. It carries no stack trace, since
 * conflicts are no defects; code that catches everything may swallow it without harm, the body is
 * repeated all the same.
 */
public final class ConflictException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final AbortCause reason;

  private ConflictException(AbortCause reason, String message) {
    super(message, null, true, false);
    this.reason = reason;
  }

  public static ConflictException of(AbortCause cause) {
    return new ConflictException(
        cause,
        switch (cause) {
          case LOCKED ->
              "another commit has locked a word that the transaction uses; begin the transaction again";
          case EXTENSION ->
              "another commit has changed a word since the transaction's snapshot; begin the transaction again";
          case VALIDATION ->
              "another commit has changed what the transaction has read; begin the transaction again";
          case EXPLICIT, EXCEPTION ->
              throw new IllegalArgumentException(cause + " is no conflict between transactions");
        });
  }

  /** Returns what the transaction lost by. */
  public AbortCause reason() {
    return reason;
  }
}

package io.howdah.objects;

import io.howdah.core.HowdahException;

/**
 * An object was given to an {@link Owned} property although it belongs to another one, or owns the
 * object of the property; the transaction has ended.
 */
public final class OwnershipException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  OwnershipException(String message) {
    super(message);
  }
}

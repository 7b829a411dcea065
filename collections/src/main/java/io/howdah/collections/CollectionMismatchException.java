package io.howdah.collections;

import io.howdah.core.HowdahException;

/** A name of the store is taken by a collection of another kind, or with other codecs. */
public final class CollectionMismatchException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public CollectionMismatchException(String message) {
    super(message);
  }
}

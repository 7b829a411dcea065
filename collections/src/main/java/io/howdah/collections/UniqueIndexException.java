package io.howdah.collections;

import io.howdah.core.HowdahException;

/**
 * A transaction would have given a second entry the same key in a unique {@link Index}. It has
 * ended, and nothing of it has happened. Or such an index was to be built over entries of which two
 * have one key; then there is no index.
 */
public final class UniqueIndexException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final String index;

  UniqueIndexException(String index, String message) {
    super(message);
    this.index = index;
  }

  /** Returns the name of the index, as the program has declared it. */
  public String index() {
    return index;
  }
}

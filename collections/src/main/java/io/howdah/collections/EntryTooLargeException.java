package io.howdah.collections;

import io.howdah.core.HowdahException;

/**
 * A key or a value is longer than its collection takes, or than a block of the store can be: about
 * half of {@code StoreOptions.maxSize}. The message says how long it is, what the limit is, and
 * what to do. Nothing of the operation happened.
 */
public final class EntryTooLargeException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates one for bytes that no block of the store can hold.
   *
   * @param what has the bytes
   * @param most bytes of the longest block
   */
  static EntryTooLargeException doesNotFit(String what, long bytes, long most) {
    return new EntryTooLargeException(
        what
            + " has "
            + bytes
            + " bytes, which do not fit into this store at once: the longest block has "
            + most
            + ", about half of maxSize, for a key and its value together; store it in parts, as in"
            + " a PersistentBlob, or open the store with a larger StoreOptions.withMaxSize");
  }

  /** Creates one with a message for the person who has to act. */
  public EntryTooLargeException(String message) {
    super(message);
  }
}

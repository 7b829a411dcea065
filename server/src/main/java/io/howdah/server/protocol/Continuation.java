package io.howdah.server.protocol;

/**
 * The rest of a command that takes several turns: of a reply that is too long to be made at once,
 * or of a large value that is copied. For one thread at a time.
 */
public interface Continuation {

  /** Does the next part and appends what there is to reply; returns false after the last part. */
  boolean next(Reply reply);

  /** Returns whether the last part did nothing, because others have to end first. */
  default boolean isWaiting() {
    return false;
  }

  /** Returns the number of bytes held between the parts, about. */
  default int heldBytes() {
    return 0;
  }

  /** Ends it early. Also called after the last part, perhaps. */
  default void release() {}
}

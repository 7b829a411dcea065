package io.howdah.checkpoint.recovery;

/** A stash that must keep everything has no room left; the log is to be replayed as it is read. */
final class StashFullException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StashFullException(long words) {
    super("the stash is full with " + words + " words");
  }
}

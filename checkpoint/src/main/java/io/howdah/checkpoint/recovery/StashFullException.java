package io.howdah.checkpoint.recovery;

/** A stash that must not replay a word is full. The caller reads the whole log instead. */
final class StashFullException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StashFullException(long words) {
    super("the stash is full with " + words + " words");
  }
}

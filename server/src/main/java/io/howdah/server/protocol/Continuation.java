package io.howdah.server.protocol;

/** The rest of a reply that is too long to be made at once. For one thread at a time. */
interface Continuation {

  /** Appends the next part, and returns false after the last. */
  boolean next(Reply reply);
}

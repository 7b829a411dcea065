package io.howdah.server.cache;

/**
 * What is known of an item without its value.
 *
 * @param flags the client's 32 bits
 * @param expiresAt the second since 1970 from which the item is gone, or {@link Expiry#NEVER}
 * @param cas the CAS value
 * @param marks as in {@link Item}
 * @param valueBytes of the value
 */
public record ItemFacts(int flags, long expiresAt, long cas, int marks, int valueBytes) {

  /** Returns whether all bits of a mark are set. */
  public boolean has(int mark) {
    return (marks & mark) == mark;
  }
}

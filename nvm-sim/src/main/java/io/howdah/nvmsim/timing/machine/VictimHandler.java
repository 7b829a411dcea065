package io.howdah.nvmsim.timing.machine;

/**
 * Who decides about lines that enter and leave the last cache level. Owners are numbers from 0; a
 * line without one has {@link CacheHierarchy#NO_OWNER}. A handler may change owners and dirty
 * marks, but must not access the hierarchy while it is called.
 */
public interface VictimHandler {
  /**
   * The newest copy of a line leaves the hierarchy.
   *
   * @param dirty whether any level had changed it
   * @return when the access that displaced it may go on
   */
  long evicted(long nowPs, long line, boolean dirty, int owner);

  /** A copy that was kept beside a newer one leaves the hierarchy. */
  long evictedOlder(long nowPs, long line, int owner);

  /** A line comes in from memory: where it is read from. */
  long memoryLine(long line);

  /** A line comes in from memory: who owns it from now on. */
  int ownerOf(long line);

  /** Whether owned lines must stay as long as there is another choice. */
  boolean pinsOwned();
}

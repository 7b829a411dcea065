package io.howdah.collections.structure;

/** The times of an attempt, which all its operations share. Not thread-safe. */
public final class AttemptTime {

  /** The attempt has not used a time yet. */
  public static final long NOT_FIXED = 0;

  /** Milliseconds since 1970, or {@link #NOT_FIXED}. */
  public long millis;

  /**
   * The earliest time at which an entry expires that the attempt has put into any map, in
   * milliseconds since 1970; {@link Long#MAX_VALUE} if there is none.
   */
  public long earliestExpiry = Long.MAX_VALUE;

  AttemptTime() {}
}

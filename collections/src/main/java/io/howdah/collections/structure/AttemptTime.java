package io.howdah.collections.structure;

/** The time that all operations of an attempt use. Not thread-safe. */
public final class AttemptTime {

  /** The attempt has not used a time yet. */
  public static final long NOT_FIXED = 0;

  /** Milliseconds since 1970, or {@link #NOT_FIXED}. */
  public long millis;

  AttemptTime() {}
}

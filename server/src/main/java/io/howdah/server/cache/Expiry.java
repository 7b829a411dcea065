package io.howdah.server.cache;

/** Times of expiry, as memcached reads them in commands. */
public final class Expiry {

  /** The item does not expire. */
  public static final long NEVER = 0;

  /** The item has expired when it is stored. */
  public static final long AT_ONCE = 1;

  /** A larger number of seconds is a time since 1970, not a duration. */
  public static final long MAX_RELATIVE_SECONDS = 60L * 60 * 24 * 30;

  private Expiry() {}

  /**
   * Returns the second since 1970 that a command means.
   *
   * @param seconds as in the command: 0 never, negative at once, up to 30 days from now, and beyond
   *     that a time since 1970
   * @param now seconds since 1970
   */
  public static long of(long seconds, long now) {
    if (seconds == 0) {
      return NEVER;
    }
    if (seconds < 0) {
      return AT_ONCE;
    }
    return seconds > MAX_RELATIVE_SECONDS ? seconds : now + seconds;
  }

  /** Returns whether an item with this expiry is gone. */
  public static boolean isPast(long expiresAt, long now) {
    return expiresAt != NEVER && expiresAt <= now;
  }
}

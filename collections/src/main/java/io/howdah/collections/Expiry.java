package io.howdah.collections;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The declaration that the entries of a map expire. A program gives it to each opening of the map;
 * {@link KeyedCollection#expiry} returns what sets the time of single entries.
 *
 * {@snippet :
 * PersistentMap<String, Session> sessions =
 *     store.map("sessions", String.class, Session.class, Expiry.after(Duration.ofMinutes(30)));
 * store.run(tx -> sessions.put(tx, id, session)); // for 30 minutes
 * store.run(tx -> sessions.expiry().put(tx, id, session, Duration.ofDays(1)));
 * }
 *
 * <p>An entry that has expired is in no result: not of a look-up, an iterator, a view or an index,
 * and not in the size. It is removed some time later, in the background. A map is created with an
 * expiry or without one, and stays so; the duration is the program's, and may be another one in
 * each opening: it is that of later puts.
 *
 * <p>Immutable.
 */
public final class Expiry implements MapOption<Object> {

  private final @Nullable Duration after;

  private Expiry(@Nullable Duration after) {
    this.after = after;
  }

  /**
   * Lets an entry expire so long after it was put, unless the put says otherwise.
   *
   * @param duration more than 0; rounded up to milliseconds; one of some 292 million years or more
   *     stands for ever
   */
  public static Expiry after(Duration duration) {
    if (!duration.isPositive()) {
      throw new IllegalArgumentException("an entry lives longer than 0, not " + duration);
    }
    return new Expiry(duration);
  }

  /** Lets an entry expire only if {@link EntryExpiry} says when. */
  public static Expiry perEntry() {
    return new Expiry(null);
  }

  /** Returns how long an entry lives by default, or null for ever. */
  @Nullable Duration duration() {
    return after;
  }

  /** Returns how long an entry lives by default. */
  @Override
  public String toString() {
    return after == null ? "expiry by entry" : "expiry after " + after;
  }
}

package io.howdah.collections.expiry;

import io.howdah.collections.structure.AttemptTime;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.words.Words;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time that transactions go by where entries expire. Thread-safe.
 *
 * <p>An attempt has one time, which is fixed when it first needs one. It reads the clock, and the
 * <i>horizon</i>, a word of the region: it takes the later of the two. An entry that expires at e
 * is reclaimed only in a transaction that has read a horizon of e or later. So of an attempt and
 * the transaction that reclaims an entry one of these is true:
 *
 * <ul>
 *   <li>the attempt comes first in the order of commits: the entry is there, and the attempt shows
 *       it or not by its own time;
 *   <li>it comes later: then it has read the horizon as it was when the entry was reclaimed, or a
 *       later one, so its time is e or later, and it would not have shown the entry.
 * </ul>
 *
 * <p>An attempt that has read the horizon before it moved, and entries after that, is repeated like
 * any other whose reads have changed. So reclaiming changes nothing that a transaction sees.
 *
 * <p>A clock that is set back by a minute or less stands still until it has caught up. If it is set
 * back further, time goes back with it: entries that were reclaimed stay away, and the others live
 * on.
 */
public final class ExpiryClock {

  /** The stamp of an entry that does not expire. */
  public static final long NEVER = 0;

  /** How far a clock is set back at most without time going back with it. */
  private static final long MAX_STILL_MILLIS = 60_000;

  private final InstantSource source;

  /** The latest time that was told. */
  private final AtomicLong latest = new AtomicLong(1);

  /** Creates one that goes by a clock. */
  public ExpiryClock(InstantSource source) {
    this.source = source;
  }

  /** Returns the clock's time in milliseconds since 1970, at least 1. */
  public long read() {
    long millis = Math.max(1, source.millis());
    long before = latest.get();
    if (millis == before) {
      return millis;
    }
    if (millis < before && before - millis <= MAX_STILL_MILLIS) {
      return before;
    }
    // If another thread has told a time meanwhile, either of the two is as good.
    latest.compareAndSet(before, millis);
    return millis;
  }

  /** Returns the time of an attempt, in milliseconds since 1970. */
  public long now(Words words) {
    AttemptTime time = CollectionScratch.of(words).time;
    long now = time.millis;
    if (now == AttemptTime.NOT_FIXED) {
      long horizon = horizon(words);
      now = read();
      if (now < horizon && horizon - now <= MAX_STILL_MILLIS) {
        now = horizon;
      }
      time.millis = now;
    }
    return now;
  }

  /** Returns whether an entry has expired by the time of an attempt. */
  public boolean isPast(Words words, long expiresAt) {
    return expiresAt != NEVER && expiresAt <= now(words);
  }

  /**
   * Returns whether an entry may be reclaimed in a transaction.
   *
   * @param expiresAt milliseconds since 1970, or {@link #NEVER}
   */
  public boolean isReclaimable(Words words, long expiresAt) {
    return expiresAt != NEVER && expiresAt <= horizon(words) && expiresAt <= now(words);
  }

  private static long horizon(Words words) {
    return words.getUnchecked(RegionHeaderLayout.HORIZON_ADDRESS);
  }

  /** Moves the horizon to the time of the attempt, and returns that. */
  public long moveHorizon(Words words) {
    long now = now(words);
    if (horizon(words) != now) {
      words.putUnchecked(RegionHeaderLayout.HORIZON_ADDRESS, now);
    }
    return now;
  }

  /** Returns the stamp of a moment. */
  public static long at(Instant moment) {
    try {
      return Math.max(1, moment.toEpochMilli());
    } catch (ArithmeticException e) {
      return moment.getEpochSecond() < 0 ? 1 : NEVER;
    }
  }

  /**
   * Returns when an entry expires that is put in an attempt.
   *
   * @return milliseconds since 1970; {@link #NEVER} if a {@code long} cannot hold them
   * @throws IllegalArgumentException if the duration is not positive
   */
  public long after(Words words, Duration duration) {
    if (!duration.isPositive()) {
      throw words.refuse(
          new IllegalArgumentException(
              "an entry lives longer than 0, not "
                  + duration
                  + "; remove it if it should expire immediately"));
    }
    long millis;
    try {
      millis = duration.plusNanos(999_999).toMillis(); // not less than was asked for
    } catch (ArithmeticException e) {
      return NEVER;
    }
    long at = now(words) + millis;
    return at < 0 ? NEVER : at;
  }
}

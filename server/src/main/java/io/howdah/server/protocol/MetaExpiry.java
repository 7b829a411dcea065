package io.howdah.server.protocol;

import io.howdah.server.cache.Expiry;
import org.jspecify.annotations.Nullable;

/**
 * When an item expires while the flags of a meta command act, each at its place: {@code T} and
 * {@code N} set it, {@code R} compares with it, {@code t} tells it. So what stands behind {@code t}
 * is not told.
 */
final class MetaExpiry {

  private final MetaFlags flags;
  private long told;
  private boolean isLate;

  MetaExpiry(MetaFlags flags) {
    this.flags = flags;
  }

  /**
   * Lets the flags act on an item, once more if the transaction runs again.
   *
   * @param before when the item expired until now; {@link Expiry#NEVER} if it is made
   * @param isCreated whether the command makes the item
   * @return when it expires from now on
   */
  long act(long before, boolean isCreated, long now) {
    long expiresAt = before;
    told = before;
    isLate = false;
    for (int i = 0; i < flags.count(); i++) {
      switch (flags.flag(i)) {
        case 'T' -> expiresAt = at(flags.expiry, expiresAt, now);
        case 'N' -> expiresAt = isCreated ? at(flags.createExpiry, expiresAt, now) : expiresAt;
        case 'R' ->
            isLate = expiresAt != Expiry.NEVER && expiresAt < at(flags.recacheTime, expiresAt, now);
        case 't' -> told = expiresAt;
        default -> {}
      }
    }
    return expiresAt;
  }

  private static long at(@Nullable Integer seconds, long otherwise, long now) {
    return seconds == null ? otherwise : Expiry.of(seconds, now);
  }

  /** Returns whether the item expires before the time of {@code R}. */
  boolean isLate() {
    return isLate;
  }

  /** Appends what {@code t} tells: how long the item lives. */
  void addTimeToLive(long now, Reply reply) {
    if (told == Expiry.NEVER) {
      reply.add(" t-1");
    } else {
      reply.add(" t").addUnsigned(Math.max(0, told - now));
    }
  }
}

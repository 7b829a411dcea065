package io.howdah.jcache;

import io.howdah.collections.EntryExpiry;
import java.time.Duration;
import java.util.function.Supplier;
import javax.cache.expiry.ExpiryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What an expiry policy says, as durations of the JDK. {@link Duration#ZERO} lets an entry expire
 * at once. A policy that throws lets a new entry live for ever, and changes nothing for others.
 * Thread-safe if the policy is.
 */
record ExpiryRules(ExpiryPolicy policy) {

  /** Returns how long a new entry lives. */
  Duration ofCreation() {
    Duration duration = duration(policy::getExpiryForCreation);
    return duration == null ? EntryExpiry.FOREVER : duration;
  }

  /** Returns how long an entry lives after it was found; null if that changes nothing. */
  @Nullable Duration ofAccess() {
    return duration(policy::getExpiryForAccess);
  }

  /** Returns how long an entry lives after its value was replaced; null if that changes nothing. */
  @Nullable Duration ofUpdate() {
    return duration(policy::getExpiryForUpdate);
  }

  private static @Nullable Duration duration(
      Supplier<javax.cache.expiry.@Nullable Duration> answer) {
    javax.cache.expiry.Duration duration;
    try {
      duration = answer.get();
    } catch (RuntimeException e) { // of the program's policy: the cache is to work all the same
      return null;
    }
    if (duration == null) {
      return null;
    }
    if (duration.isEternal()) {
      return EntryExpiry.FOREVER;
    }
    return duration.isZero()
        ? Duration.ZERO
        : Duration.ofMillis(duration.getTimeUnit().toMillis(duration.getDurationAmount()));
  }
}

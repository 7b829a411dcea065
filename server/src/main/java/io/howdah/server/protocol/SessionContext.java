package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.watch.ConnectionEvents;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * What all commands of a session work with.
 *
 * @param cache as the session's connection sees it
 * @param control is asked by commands
 * @param events tells watchers what commands do
 */
public record SessionContext(
    Cache cache, ProtocolOptions options, ServerControl control, ConnectionEvents events) {

  private static final long MILLIS = 1000;

  /** memcached takes its start for so much earlier, as clocks differ. */
  private static final int START_LEEWAY_SECONDS = 62;

  /** Removes the item that a command which cannot be run would have replaced. */
  public void removeStale(byte[] key) {
    try {
      cache.update(key, _ -> null);
    } catch (CacheFullException _) {
      // Not even that has room. The client is told that its command was refused.
    }
  }

  /**
   * Invalidates all items after a delay in seconds, or at a time since 1970 if the number is above
   * 30 days. A time before the start of the server changes nothing, as in memcached.
   */
  public void flush(long delay) {
    long now = cache.now();
    long at = delay <= 0 ? now : Expiry.of(delay, now);
    long uptime = ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS;
    if (at > now - uptime - START_LEEWAY_SECONDS) {
      cache.flush(at);
    }
  }

  /** Tells watchers that a command was refused because its item is too large. */
  public void tellTooLarge(byte[] key, StoreMode mode, long valueBytes) {
    events.stored(
        key,
        "too_large",
        mode.name().toLowerCase(Locale.ROOT),
        0,
        (int) Math.min(valueBytes, Integer.MAX_VALUE));
  }
}

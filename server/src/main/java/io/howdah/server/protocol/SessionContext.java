package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.watch.ConnectionEvents;
import java.util.Locale;

/**
 * What all commands of a session work with.
 *
 * @param cache as the session's connection sees it
 * @param control is asked by commands
 * @param events tells watchers what commands do
 */
record SessionContext(
    Cache cache, ProtocolOptions options, ServerControl control, ConnectionEvents events) {

  /** Removes the item that a command which cannot be run would have replaced. */
  void removeStale(byte[] key) {
    cache.update(key, _ -> null);
  }

  /** Tells watchers that a command was refused because its item is too large. */
  void tellTooLarge(byte[] key, StoreMode mode, long valueBytes) {
    events.stored(
        key,
        "too_large",
        mode.name().toLowerCase(Locale.ROOT),
        0,
        (int) Math.min(valueBytes, Integer.MAX_VALUE));
  }
}

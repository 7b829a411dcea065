package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;

/**
 * What all commands of a session work with.
 *
 * @param cache as the session's connection sees it
 * @param control is asked by commands
 */
record SessionContext(Cache cache, ProtocolOptions options, ServerControl control) {

  /** Removes the item that a command which cannot be run would have replaced. */
  void removeStale(byte[] key) {
    cache.update(key, _ -> null);
  }
}

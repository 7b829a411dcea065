package io.howdah.server.items;

import io.howdah.server.cache.LargeValue;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits the bytes of the large values that are being read. A value counts once, however many
 * connections read it. One value alone is always let in. Thread-safe.
 */
final class ReaderLimit {

  private final long maxBytes;
  private final Map<Long, Integer> readers = new HashMap<>();
  private long bytes;

  ReaderLimit(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Lets a reader in, or returns false if others have to end first. */
  synchronized boolean enter(LargeValue value) {
    if (!readers.containsKey(value.id())) {
      if (bytes > 0 && bytes + value.length() > maxBytes) {
        return false;
      }
      bytes += value.length();
    }
    readers.merge(value.id(), 1, Integer::sum);
    return true;
  }

  /** Lets a reader out. */
  synchronized void leave(LargeValue value) {
    if (readers.merge(value.id(), -1, (old, change) -> old + change == 0 ? null : old + change)
        == null) {
      bytes -= value.length();
    }
  }

  /** Returns the bytes of the values that are being read. */
  synchronized long bytes() {
    return bytes;
  }
}

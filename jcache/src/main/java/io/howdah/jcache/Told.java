package io.howdah.jcache;

import java.util.List;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * A change that listeners are to be told of.
 *
 * @param value the new value; the last one of a removal or expiry
 * @param oldValue null of an entry that was created
 * @param listeners those that were registered when the change committed
 * @param failures takes what listeners throw, if a caller waits for it
 */
record Told<K, V>(
    EventType type,
    K key,
    V value,
    @Nullable V oldValue,
    List<Registration<K, V>> listeners,
    @Nullable Failures failures) {

  /** What the listeners of a call have thrown. For one thread at a time. */
  static final class Failures {
    private @Nullable RuntimeException first;

    /** Notes a failure. */
    synchronized void add(RuntimeException failure) {
      if (first == null) {
        first = failure;
      } else {
        first.addSuppressed(failure);
      }
    }

    /** Throws the first failure, with the others as suppressed ones. */
    synchronized void rethrow() {
      if (first != null) {
        throw first;
      }
    }
  }
}

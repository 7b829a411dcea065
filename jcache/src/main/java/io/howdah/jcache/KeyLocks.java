package io.howdah.jcache;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks of the keys of a cache, by their encodings. A change of an entry holds the lock of its key
 * while a writer, a loader or a processor runs and while its transaction does, so that calls of
 * writers and events of listeners have the order of the changes, and one thread at a time loads a
 * value. Look-ups take none. Thread-safe.
 */
final class KeyLocks {

  private static final class Held {
    private final ReentrantLock lock = new ReentrantLock();
    private int users; // changed within compute of the map
  }

  private final ConcurrentMap<ByteBuffer, Held> held = new ConcurrentHashMap<>();

  /**
   * Locks a key.
   *
   * @throws IllegalStateException if the thread has locked it already
   */
  void lock(ByteBuffer key) {
    Held own =
        held.compute(
            key,
            (_, known) -> {
              Held used = known == null ? new Held() : known;
              used.users++;
              return used;
            });
    if (own.lock.isHeldByCurrentThread()) {
      leave(key);
      throw new IllegalStateException(
          "a loader, writer or entry processor of a cache changes or loads the key that it is"
              + " called for");
    }
    own.lock.lock();
  }

  /** Gives a key back. */
  void unlock(ByteBuffer key) {
    Held own = held.get(key);
    if (own != null) {
      own.lock.unlock();
      leave(key);
    }
  }

  /** Locks keys that differ, in one order for all threads. */
  void lockAll(List<ByteBuffer> keys) {
    List<ByteBuffer> sorted = keys.stream().sorted().toList();
    int locked = 0;
    try {
      for (ByteBuffer key : sorted) {
        lock(key);
        locked++;
      }
    } finally {
      if (locked < sorted.size()) {
        sorted.subList(0, locked).forEach(this::unlock);
      }
    }
  }

  /** Gives keys back. */
  void unlockAll(List<ByteBuffer> keys) {
    keys.forEach(this::unlock);
  }

  /** Returns how many keys are locked or waited for. */
  int size() {
    return held.size();
  }

  private void leave(ByteBuffer key) {
    Held _ = held.computeIfPresent(key, (_, known) -> --known.users == 0 ? null : known);
  }
}

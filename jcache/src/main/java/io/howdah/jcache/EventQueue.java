package io.howdah.jcache;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.cache.Cache;

/**
 * Changes of which listeners are told one after the other, in the order of {@link #add}.
 *
 * <p>A change that a listener makes itself is added, and told of after that listener has returned:
 * its caller does not wait, so listeners that change the cache do not wait for each other.
 *
 * <p>Thread-safe.
 */
final class EventQueue<K, V> {

  /** Bound in a thread that calls listeners. */
  private static final ScopedValue<Boolean> TELLING = ScopedValue.newInstance();

  private static final System.Logger LOG = System.getLogger("io.howdah.jcache");

  private final Cache<K, V> cache;
  private final Queue<Told<K, V>> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final ReentrantLock telling = new ReentrantLock();

  EventQueue(Cache<K, V> cache) {
    this.cache = cache;
  }

  /** Returns whether this thread is calling a listener. */
  static boolean isTelling() {
    return TELLING.isBound();
  }

  /** Adds a change. */
  void add(Told<K, V> told) {
    events.add(told);
    size.incrementAndGet();
  }

  /** Returns about how many changes listeners have not been told of. */
  int size() {
    return size.get();
  }

  /**
   * Tells of all that was added. When this returns, listeners have been told of all that was added
   * before the call, by this thread or another one, unless a listener makes the call.
   */
  void tellAll() {
    if (isTelling()) {
      tellUnlessBusy();
      return;
    }
    do {
      telling.lock();
      try {
        tellAdded();
      } finally {
        telling.unlock();
      }
    } while (!events.isEmpty()); // of a listener that found this busy
  }

  private void tellUnlessBusy() {
    while (!events.isEmpty() && !telling.isHeldByCurrentThread() && telling.tryLock()) {
      try {
        tellAdded();
      } finally {
        telling.unlock();
      }
    }
  }

  private void tellAdded() {
    ScopedValue.where(TELLING, true)
        .run(
            () -> {
              for (Told<K, V> told = events.poll(); told != null; told = events.poll()) {
                size.decrementAndGet();
                tell(told);
              }
            });
  }

  private void tell(Told<K, V> told) {
    for (Registration<K, V> listener : told.listeners()) {
      try {
        listener.tell(cache, told);
      } catch (RuntimeException e) {
        if (told.failures() == null) {
          LOG.log(
              System.Logger.Level.WARNING,
              "a listener of cache " + cache.getName() + " failed; nothing waits for it",
              e);
        } else {
          told.failures().add(e);
        }
      }
    }
  }
}

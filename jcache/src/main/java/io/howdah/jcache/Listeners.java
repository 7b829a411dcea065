package io.howdah.jcache;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of a cache. Changes are added while their key is locked, after the commit, so for
 * one key they have the order of the commits. Synchronous listeners are told in the calling thread
 * once the key is free, asynchronous ones in a virtual thread, in one order for the cache.
 *
 * <p>What expires in the background is added without a lock of its key, so an entry that is put
 * again at that moment may be told of first.
 *
 * <p>Thread-safe.
 */
final class Listeners<K, V> {

  private static final int QUEUES = 16;

  /** So many changes may wait for asynchronous listeners before those who change wait, too. */
  private static final int MAX_WAITING = 4096;

  private final List<Registration<K, V>> registered = new CopyOnWriteArrayList<>();

  /** For synchronous listeners, by keys. */
  private final List<EventQueue<K, V>> queues;

  private final EventQueue<K, V> asynchronous;
  private final Background<K, V> inBackground;
  private final Background<K, V> allInBackground;

  /** Queues that a virtual thread empties. */
  private record Background<K, V>(List<EventQueue<K, V>> queues, AtomicBoolean isAsked) {
    Background(List<EventQueue<K, V>> queues) {
      this(queues, new AtomicBoolean());
    }
  }

  Listeners(Cache<K, V> cache) {
    this.queues = IntStream.range(0, QUEUES).mapToObj(_ -> new EventQueue<K, V>(cache)).toList();
    this.asynchronous = new EventQueue<>(cache);
    this.inBackground = new Background<>(List.of(asynchronous));
    this.allInBackground =
        new Background<>(Stream.concat(queues.stream(), Stream.of(asynchronous)).toList());
  }

  /** Returns whether there is no listener. */
  boolean isEmpty() {
    return registered.isEmpty();
  }

  /** Returns whether a listener is told of a kind of changes. */
  boolean wants(EventType type) {
    return registered.stream().anyMatch(listener -> listener.wants(type));
  }

  /**
   * Registers a listener.
   *
   * @throws IllegalArgumentException if there is one of an equal configuration
   */
  synchronized void register(CacheEntryListenerConfiguration<K, V> configuration) {
    if (registered.stream().anyMatch(known -> known.configuration().equals(configuration))) {
      throw new IllegalArgumentException(
          "a listener of an equal configuration is registered already: " + configuration);
    }
    registered.add(new Registration<>(configuration));
  }

  /** Removes the listener of a configuration, and returns whether there was one. */
  synchronized boolean deregister(CacheEntryListenerConfiguration<K, V> configuration)
      throws IOException {
    for (Registration<K, V> known : registered) {
      if (known.configuration().equals(configuration)) {
        registered.remove(known);
        known.close();
        return true;
      }
    }
    return false;
  }

  /**
   * Adds a change that has committed.
   *
   * @param hash of the key's encoding
   * @param failures takes what synchronous listeners throw; null if no caller waits for them
   */
  void add(
      EventType type,
      K key,
      V value,
      @Nullable V oldValue,
      int hash,
      Told.@Nullable Failures failures) {
    List<Registration<K, V>> all = List.copyOf(registered);
    List<Registration<K, V>> inCall =
        all.stream().filter(each -> each.isSynchronous() && each.wants(type)).toList();
    List<Registration<K, V>> later =
        all.stream().filter(each -> !each.isSynchronous() && each.wants(type)).toList();
    if (!inCall.isEmpty()) {
      queue(hash).add(new Told<>(type, key, value, oldValue, inCall, failures));
    }
    if (!later.isEmpty()) {
      asynchronous.add(new Told<>(type, key, value, oldValue, later, null));
    }
  }

  /** Tells synchronous listeners of changes that were added, and begins to tell the others. */
  void tell(int hash) {
    queue(hash).tellAll();
    if (asynchronous.size() > MAX_WAITING) {
      asynchronous.tellAll();
    } else if (asynchronous.size() > 0) {
      tellLater(inBackground);
    }
  }

  /** Has a virtual thread tell of all changes: no caller waits for them. */
  void tellInBackground() {
    tellLater(allInBackground);
  }

  private void tellLater(Background<K, V> some) {
    if (some.isAsked().compareAndSet(false, true)) {
      Thread _ =
          Thread.startVirtualThread(
              () -> {
                some.isAsked().set(false); // what is added from here on asks again
                some.queues().forEach(EventQueue::tellAll);
              });
    }
  }

  private EventQueue<K, V> queue(int hash) {
    return queues.get(Math.floorMod(hash, QUEUES));
  }

  /** Tells of what is left, and closes the listeners. */
  void close(List<Exception> failures) {
    queues.forEach(EventQueue::tellAll);
    asynchronous.tellAll();
    for (Registration<K, V> listener : registered) {
      try {
        listener.close();
      } catch (IOException | RuntimeException e) {
        failures.add(e);
      }
    }
    registered.clear();
  }
}

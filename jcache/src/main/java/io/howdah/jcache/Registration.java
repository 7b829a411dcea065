package io.howdah.jcache;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/** A listener that is registered with a cache. Thread-safe if the listener is. */
final class Registration<K, V> {

  private final CacheEntryListenerConfiguration<K, V> configuration;
  private final CacheEntryListener<? super K, ? super V> listener;
  private final @Nullable CacheEntryEventFilter<? super K, ? super V> filter;

  Registration(CacheEntryListenerConfiguration<K, V> configuration) {
    this.configuration = configuration;
    this.listener = configuration.getCacheEntryListenerFactory().create();
    Factory<CacheEntryEventFilter<? super K, ? super V>> filters =
        configuration.getCacheEntryEventFilterFactory();
    this.filter = filters == null ? null : filters.create();
  }

  CacheEntryListenerConfiguration<K, V> configuration() {
    return configuration;
  }

  boolean isSynchronous() {
    return configuration.isSynchronous();
  }

  /** Returns whether the listener is told of a kind of changes. */
  boolean wants(EventType type) {
    return switch (type) {
      case CREATED -> listener instanceof CacheEntryCreatedListener;
      case UPDATED -> listener instanceof CacheEntryUpdatedListener;
      case REMOVED -> listener instanceof CacheEntryRemovedListener;
      case EXPIRED -> listener instanceof CacheEntryExpiredListener;
    };
  }

  /**
   * Calls the listener.
   *
   * @throws CacheEntryListenerException what the listener or its filter throws, wrapped if it is of
   *     another class
   */
  @SuppressWarnings("unchecked") // wants has looked
  void tell(Cache<K, V> cache, Told<K, V> told) {
    boolean withOld = configuration.isOldValueRequired() || told.type() != EventType.UPDATED;
    CacheEntryEvent<K, V> event =
        new EntryEvent<>(
            cache, told.type(), told.key(), told.value(), withOld ? told.oldValue() : null);
    try {
      if (filter != null && !filter.evaluate(event)) {
        return;
      }
      List<CacheEntryEvent<? extends K, ? extends V>> events = List.of(event);
      switch (told.type()) {
        case CREATED -> ((CacheEntryCreatedListener<K, V>) listener).onCreated(events);
        case UPDATED -> ((CacheEntryUpdatedListener<K, V>) listener).onUpdated(events);
        case REMOVED -> ((CacheEntryRemovedListener<K, V>) listener).onRemoved(events);
        case EXPIRED -> ((CacheEntryExpiredListener<K, V>) listener).onExpired(events);
      }
    } catch (CacheEntryListenerException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CacheEntryListenerException("a listener failed with " + e, e);
    }
  }

  /** Closes the listener and its filter if they can be closed, each whatever the other throws. */
  void close() throws IOException {
    try (Closeable _ = closeable(filter);
        Closeable _ = closeable(listener)) {
      // Both are closed.
    }
  }

  private static @Nullable Closeable closeable(@Nullable Object part) {
    return part instanceof Closeable closeable ? closeable : null;
  }
}

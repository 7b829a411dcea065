package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.configuration.FactoryBuilder;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.EventType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events that come while the background tells of others. */
@Timeout(60)
final class ListenersTest {

  /** Notes the keys that it is told of; it may be held while it is told. */
  private static final class Noting implements CacheEntryExpiredListener<String, String> {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final CountDownLatch held;

    Noting(int holds) {
      held = new CountDownLatch(holds);
    }

    @Override
    public void onExpired(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
      for (CacheEntryEvent<? extends String, ? extends String> event : events) {
        told.add(event.getKey());
      }
      try {
        held.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    String next() throws InterruptedException {
      return String.valueOf(told.poll(10, TimeUnit.SECONDS));
    }
  }

  @SuppressWarnings("unchecked") // events name the cache, and nothing asks it
  private static Cache<String, String> cache() {
    return (Cache<String, String>)
        Proxy.newProxyInstance(
            ListenersTest.class.getClassLoader(), new Class<?>[] {Cache.class}, (_, _, _) -> "c");
  }

  private static void register(
      Listeners<String, String> listeners, Noting listener, boolean isSynchronous) {
    listeners.register(
        new MutableCacheEntryListenerConfiguration<>(
            new FactoryBuilder.SingletonFactory<>(listener), null, false, isSynchronous));
  }

  private static void expire(Listeners<String, String> listeners, String key) {
    listeners.add(EventType.EXPIRED, key, "value", "value", 0, null);
    listeners.tellInBackground();
  }

  /** The queue of the first listener has been emptied when the second listener is told. */
  @Test
  void anEventThatComesWhileAnotherListenerIsToldIsToldAtOnce() throws InterruptedException {
    Listeners<String, String> listeners = new Listeners<>(cache());
    Noting first = new Noting(0);
    Noting second = new Noting(1);
    register(listeners, first, true);
    register(listeners, second, false);
    expire(listeners, "one");
    assertThat(first.next()).isEqualTo("one");
    assertThat(second.next()).isEqualTo("one");
    expire(listeners, "two");
    second.held.countDown();
    assertThat(first.next()).isEqualTo("two");
    assertThat(second.next()).isEqualTo("two");
  }
}

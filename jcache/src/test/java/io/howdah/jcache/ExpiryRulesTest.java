package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.testkit.SettableClock;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.configuration.FactoryBuilder;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.AccessedExpiryPolicy;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.ModifiedExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When entries expire, to the millisecond, by a clock that the test moves. */
final class ExpiryRulesTest {

  private static final long LIVES = 1000;

  private final SettableClock clock = new SettableClock();
  private final Store store =
      Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20).withClock(clock));
  private final HowdahCacheManager manager = HowdahCacheManager.of(store);

  @AfterEach
  void close() {
    manager.close();
    store.close();
  }

  private Cache<Long, String> open(ExpiryPolicy policy) {
    return manager.createCache(
        "cache",
        new MutableConfiguration<Long, String>()
            .setTypes(Long.class, String.class)
            .setExpiryPolicyFactory(new FactoryBuilder.SingletonFactory<>(policy)));
  }

  private static Duration lives() {
    return new Duration(TimeUnit.MILLISECONDS, LIVES);
  }

  /** Asserts when an entry expires, and lets it. */
  private void assertExpiresIn(Cache<Long, String> cache, long key, long millis) {
    clock.move(millis - 1);
    assertThat(cache.containsKey(key)).as("a millisecond before").isTrue();
    clock.move(1);
    assertThat(cache.containsKey(key)).as("then").isFalse();
  }

  @Test
  void fromItsCreationOnly() {
    Cache<Long, String> cache = open(new CreatedExpiryPolicy(lives()));
    cache.put(1L, "one");
    clock.move(400);
    assertThat(cache.get(1L)).isEqualTo("one");
    cache.put(1L, "another");
    assertThat(cache.replace(1L, "third")).isTrue();
    assertExpiresIn(cache, 1, 600);
    cache.put(1L, "created anew");
    assertExpiresIn(cache, 1, LIVES);
  }

  @Test
  void fromItsCreationOrLastAccess() {
    Cache<Long, String> cache = open(new AccessedExpiryPolicy(lives()));
    cache.put(1L, "one");
    for (int i = 0; i < 3; i++) {
      clock.move(1); // each access counts, however soon it comes
      assertThat(cache.get(1L)).isEqualTo("one");
    }
    clock.move(400);
    cache.put(1L, "an update changes nothing");
    assertThat(cache.containsKey(1L)).as("no access").isTrue();
    assertThat(cache.putIfAbsent(1L, "")).as("no access").isFalse();
    assertExpiresIn(cache, 1, 600);
    cache.put(1L, "one");
    clock.move(999);
    assertThat(cache.getAll(Set.of(1L))).hasSize(1);
    clock.move(999);
    assertThat(cache.replace(1L, "not this", "")).as("an access").isFalse();
    clock.move(999);
    Iterator<Cache.Entry<Long, String>> all = cache.iterator();
    assertThat(all.next().getValue()).isEqualTo("one");
    assertThat(all.hasNext()).isFalse();
    clock.move(999);
    assertThat(cache.<String>invoke(1L, (entry, _) -> entry.getValue())).isEqualTo("one");
    clock.move(999);
    assertThat(cache.<Boolean>invoke(1L, (entry, _) -> entry.exists())).as("no access").isTrue();
    assertExpiresIn(cache, 1, 1);
  }

  @Test
  void fromItsCreationOrLastUpdate() {
    Cache<Long, String> cache = open(new ModifiedExpiryPolicy(lives()));
    cache.put(1L, "one");
    clock.move(400);
    assertThat(cache.get(1L)).isNotNull();
    cache.put(1L, "two");
    clock.move(400);
    assertThat(cache.replace(1L, "two", "three")).isTrue();
    assertThat(cache.replace(1L, "two", "four")).isFalse();
    clock.move(400);
    String _ =
        cache.invoke(
            1L,
            (entry, _) -> {
              entry.setValue("five");
              return null;
            });
    assertExpiresIn(cache, 1, LIVES);
  }

  @Test
  void fromItsCreationLastUpdateOrLastAccess() {
    Cache<Long, String> cache = open(new TouchedExpiryPolicy(lives()));
    cache.put(1L, "one");
    clock.move(400);
    cache.put(1L, "two");
    clock.move(700);
    assertThat(cache.get(1L)).isEqualTo("two");
    assertExpiresIn(cache, 1, LIVES);
  }

  @Test
  void never() {
    Cache<Long, String> cache = open(new EternalExpiryPolicy());
    cache.put(1L, "one");
    clock.move(Long.MAX_VALUE / 4);
    assertThat(cache.get(1L)).isEqualTo("one");
  }

  /** A policy of three answers, of which null changes nothing. */
  private record Policy(
      @Nullable Duration creation, @Nullable Duration access, @Nullable Duration update)
      implements ExpiryPolicy {

    @Override
    @SuppressWarnings("NullAway") // JSR 107 has no annotations
    public Duration getExpiryForCreation() {
      return creation;
    }

    @Override
    @SuppressWarnings("NullAway") // null changes nothing
    public Duration getExpiryForAccess() {
      return access;
    }

    @Override
    @SuppressWarnings("NullAway") // null changes nothing
    public Duration getExpiryForUpdate() {
      return update;
    }
  }

  @Test
  void atOnceAfterAnAccessOrUpdateThatGivesNoTime() {
    Cache<Long, String> cache = open(new Policy(Duration.ETERNAL, Duration.ZERO, Duration.ZERO));
    cache.put(1L, "one");
    assertThat(cache.get(1L)).isEqualTo("one");
    assertThat(cache.get(1L)).isNull();
    cache.put(1L, "one");
    cache.put(1L, "two");
    assertThat(cache.containsKey(1L)).isFalse();
    manager.destroyCache("cache");
    Cache<Long, String> none = open(new Policy(Duration.ZERO, null, null));
    none.put(1L, "one");
    assertThat(none.containsKey(1L)).isFalse();
    assertThat(none.putIfAbsent(1L, "one")).isTrue();
    assertThat(none.iterator().hasNext()).isFalse();
  }

  @Test
  void anUpdateMayShortenTheTimeAndAnAccessMayMakeItEndless() {
    Cache<Long, String> cache =
        open(
            new Policy(Duration.ONE_DAY, Duration.ETERNAL, new Duration(TimeUnit.MILLISECONDS, 5)));
    cache.put(1L, "one");
    cache.put(1L, "two");
    assertExpiresIn(cache, 1, 5);
    cache.put(1L, "one");
    assertThat(cache.get(1L)).isEqualTo("one");
    clock.move(TimeUnit.DAYS.toMillis(1000));
    assertThat(cache.get(1L)).isEqualTo("one");
  }

  /** What the policy would have said is not known, so the entry stays as it is. */
  @Test
  void aPolicyThatThrowsChangesNothing() {
    Cache<Long, String> cache =
        open(
            new ExpiryPolicy() {
              @Override
              public Duration getExpiryForCreation() {
                return lives();
              }

              @Override
              public Duration getExpiryForAccess() {
                throw new IllegalStateException("access");
              }

              @Override
              public Duration getExpiryForUpdate() {
                throw new IllegalStateException("update");
              }
            });
    cache.put(1L, "one");
    clock.move(300);
    assertThat(cache.get(1L)).isEqualTo("one");
    cache.put(1L, "two");
    assertThat(cache.get(1L)).isEqualTo("two");
    assertExpiresIn(cache, 1, 700);
  }

  /** The stamp is in the store, so another handle and another opening know it. */
  @Test
  void whatTheStoreHasIsTheMomentOfExpiry() {
    Cache<Long, String> cache = open(new CreatedExpiryPolicy(lives()));
    cache.put(1L, "one");
    cache.close();
    clock.move(999);
    Cache<Long, String> again = open(new EternalExpiryPolicy());
    PersistentCache<?, ?> own = again.unwrap(PersistentCache.class);
    assertThat(store.<Long, RuntimeException>read(own::size)).isEqualTo(1);
    assertThat(again.get(1L)).isEqualTo("one");
    assertExpiresIn(again, 1, 1);
  }
}

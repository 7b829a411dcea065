package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.jcache.JCacheCacheManager;
import org.springframework.cache.support.NullValue;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spring's cache abstraction by its own adapter of JCache, with a cache of a store. */
@Timeout(60)
final class SpringCacheTest {

  private static final int THREADS = 4;

  /** What is cached. */
  public record Page(String path, int version) {}

  /** The service. Spring makes a subclass. */
  public static class Pages {
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch all = new CountDownLatch(THREADS);

    /** Tells that a thread is going to ask. */
    public void asks() {
      all.countDown();
    }

    /** Returns null for paths that do not exist. */
    @Cacheable("pages")
    public @Nullable Page find(String path) {
      int call = calls.incrementAndGet();
      return path.startsWith("missing") ? null : new Page(path, call);
    }

    /** Waits until all threads have asked. */
    @Cacheable(cacheNames = "pages", sync = true)
    public Page findOnce(String path) throws InterruptedException {
      all.await();
      return new Page(path, calls.incrementAndGet());
    }

    /** Replaces a page. */
    @CachePut("pages")
    public Page replace(String path) {
      return new Page(path, -1);
    }

    /** Forgets a page. */
    @CacheEvict("pages")
    public void forget(String path) {}
  }

  /** The beans. */
  @Configuration
  @EnableCaching
  public static class Beans {

    /** The store. */
    @Bean(destroyMethod = "close")
    public Store store() {
      return Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20));
    }

    /** The manager of JCache. */
    @Bean(destroyMethod = "close")
    public HowdahCacheManager caches(Store store) {
      HowdahCacheManager manager = HowdahCacheManager.of(store);
      var _ =
          manager.createCache(
              "pages",
              new HowdahConfiguration<>(String.class, Page.class)
                  .setNullMarker(NullValue.INSTANCE));
      return manager;
    }

    /** Spring's manager. */
    @Bean
    public JCacheCacheManager cacheManager(HowdahCacheManager caches) {
      return new JCacheCacheManager(caches);
    }

    /** The service. */
    @Bean
    public Pages pages() {
      return new Pages();
    }
  }

  private AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  @BeforeEach
  void open() {
    context = new AnnotationConfigApplicationContext(Beans.class);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    context.close();
  }

  private Pages pages() {
    return context.getBean(Pages.class);
  }

  @Test
  void valuesAndNullAreCached() {
    assertThat(pages().find("a")).isEqualTo(new Page("a", 1));
    assertThat(pages().find("a")).isEqualTo(new Page("a", 1));
    assertThat(pages().find("missing")).isNull();
    assertThat(pages().find("missing")).isNull();
    assertThat(pages().find("b")).isEqualTo(new Page("b", 3));
    assertThat(pages().replace("a").version()).isEqualTo(-1);
    assertThat(pages().find("a")).isEqualTo(new Page("a", -1));
    pages().forget("a");
    assertThat(pages().find("a")).isEqualTo(new Page("a", 4));
    Cache own = Objects.requireNonNull(context.getBean(JCacheCacheManager.class).getCache("pages"));
    assertThat(own.putIfAbsent("a", new Page("a", 9))).isNotNull();
    assertThat(own.evictIfPresent("a")).isTrue();
    own.clear();
    assertThat(own.get("b")).isNull();
  }

  @Test
  void oneThreadComputesForAllThatWait() throws InterruptedException, ExecutionException {
    Pages pages = pages();
    List<Future<Page>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      all.add(
          threads.submit(
              () -> {
                pages.asks();
                return pages.findOnce("x");
              }));
    }
    for (Future<Page> each : all) {
      assertThat(each.get()).isEqualTo(new Page("x", 1));
    }
  }
}

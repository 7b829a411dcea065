package io.howdah.examples.cached;

import io.howdah.examples.Check;
import io.howdah.examples.ChildProcess;
import io.howdah.jcache.HowdahConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.jcache.JCacheCacheManager;
import org.springframework.cache.support.NullValue;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A process answers questions, and Spring caches the answers. It is killed. Another process answers
 * the same questions from the cache.
 */
public final class CachedService {

  private static final int QUESTIONS = 200;

  private CachedService() {}

  /** What is asked for: slow to find out. */
  public record Price(String article, long cents) {}

  /** Finds prices out. Not final: Spring makes a subclass. */
  public static class Prices {
    private final AtomicInteger calls = new AtomicInteger();

    /** For Spring. */
    public Prices() {}

    /** Returns the price of an article, or null if there is none; one thread asks at a time. */
    @Cacheable(cacheNames = "prices", sync = true)
    public @Nullable Price of(String article) {
      int call = calls.incrementAndGet();
      return article.endsWith("7") ? null : new Price(article, 100L + call);
    }

    /** Returns how many prices were found out, and not found in the cache. */
    public int calls() {
      return calls.get();
    }
  }

  /** The beans: a cache manager of JCache over a directory, and Spring's over that one. */
  @Configuration
  @EnableCaching
  public static class Beans {

    /** For Spring. */
    public Beans() {}

    /** Opens the store that the system property {@code cached.directory} names, with a cache. */
    @Bean(destroyMethod = "close")
    public CacheManager caches() {
      CacheManager manager =
          Caching.getCachingProvider()
              .getCacheManager(Path.of(System.getProperty("cached.directory")).toUri(), null);
      var _ =
          manager.createCache(
              "prices",
              new HowdahConfiguration<>(String.class, Price.class)
                  .setMaxEntries(10_000)
                  .setNullMarker(NullValue.INSTANCE) // articles without a price are cached, too
                  .setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY)));
      return manager;
    }

    /** Returns Spring's manager. */
    @Bean
    public JCacheCacheManager cacheManager(CacheManager caches) {
      return new JCacheCacheManager(caches);
    }

    /** Returns the service. */
    @Bean
    public Prices prices() {
      return new Prices();
    }
  }

  /** Starts the process that will be killed, and asks again. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path folder = Path.of(arguments[0]);
    if (arguments.length > 1) {
      answerUntilKilled(folder);
      return;
    }
    Path answered = folder.resolve("answered");
    try (ChildProcess service =
        ChildProcess.start(CachedService.class, folder.toString(), "serve")) {
      while (!Files.exists(answered)) {
        Check.that(service.runsFor(10), "the service has ended by itself");
      }
      service.kill();
    }
    System.out.println("killed after " + QUESTIONS + " answers");
    int calls = ask(folder);
    System.out.printf(
        "after the kill: %d of %d answers from the cache%n", QUESTIONS - calls, QUESTIONS);
    Check.that(calls == 0, calls + " answers were not in the cache");
  }

  private static void answerUntilKilled(Path folder) throws IOException, InterruptedException {
    int calls = ask(folder);
    Check.that(calls == QUESTIONS, "an empty cache had answers");
    Files.createFile(folder.resolve("answered"));
    Thread.sleep(Long.MAX_VALUE);
  }

  /** Asks all questions, twice; returns how many were not answered from the cache. */
  @SuppressWarnings("resource") // the process that is killed does not close it
  private static int ask(Path folder) {
    System.setProperty("cached.directory", folder.resolve("store").toString());
    var context = new AnnotationConfigApplicationContext(Beans.class);
    Prices prices = context.getBean(Prices.class);
    for (int i = 0; i < 2 * QUESTIONS; i++) {
      String article = "article " + i % QUESTIONS;
      Price price = prices.of(article);
      Check.that(
          price == null ? article.endsWith("7") : price.article().equals(article),
          "a wrong answer for " + article + ": " + price);
    }
    return prices.calls();
  }
}

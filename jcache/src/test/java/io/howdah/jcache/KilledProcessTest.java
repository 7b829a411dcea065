package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process fills a cache and is killed; the next one finds every entry that was acknowledged. */
@Timeout(120)
final class KilledProcessTest {

  private static final int ENTRIES = 2000;
  private static final String FILLED = "filled";

  @TempDir private Path folder;

  private static CacheManager manager(Path directory) {
    Properties properties = new Properties();
    properties.setProperty(HowdahCachingProvider.MAX_SIZE, "64M");
    return new HowdahCachingProvider().getCacheManager(directory.toUri(), null, properties);
  }

  private static Cache<Long, String> open(CacheManager manager) {
    return manager.createCache(
        "cache",
        new MutableConfiguration<Long, String>()
            .setTypes(Long.class, String.class)
            .setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY)));
  }

  /** The process that is killed. */
  static final class Filling {
    public static void main(String[] arguments) throws InterruptedException {
      Cache<Long, String> cache = open(manager(Path.of(arguments[0])));
      LongStream.range(0, ENTRIES).forEach(key -> cache.put(key, "value " + key));
      System.out.println(FILLED);
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @Test
  void theNextProcessFindsAllEntries() throws IOException, InterruptedException {
    Process filling =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Filling.class.getName(),
                folder.resolve("store").toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(filling.getInputStream(), StandardCharsets.UTF_8))) {
      StringBuilder all = new StringBuilder();
      String line = said.readLine();
      while (line != null && !line.equals(FILLED)) {
        all.append(line).append('\n');
        line = said.readLine();
      }
      assertThat(line).as(all.toString()).isEqualTo(FILLED);
    } finally {
      assertThat(filling.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    try (CacheManager manager = manager(folder.resolve("store"))) {
      Cache<Long, String> cache = open(manager);
      manager.enableStatistics("cache", true);
      for (long key = 0; key < ENTRIES; key++) {
        assertThat(cache.get(key)).isEqualTo("value " + key);
      }
      assertThat(cache.unwrap(JCache.class).statistics().getCacheHitPercentage()).isEqualTo(100);
    }
  }
}

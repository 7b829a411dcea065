package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.cache.Caching;
import org.jsr107.tck.testutil.CacheTestSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;

/**
 * The Technology Compatibility Kit of JSR 107, version 1.1.1, each of its tests as one of ours. It
 * is written for JUnit 4, whose runner is called here.
 */
final class CompatibilityKitTest {

  /** What is left out, and why. */
  private static final Map<String, String> EXCLUDED =
      Map.of(
          "org.jsr107.tck.annotation.",
          "annotations are optional, and their tests need a container of dependency injection",
          "org.jsr107.tck.StoreByReferenceTest",
          "storing by reference is optional, and a store cannot: the tests would return at once",
          "org.jsr107.tck.CachingTest#dummyTest",
          "it fails always, for the kit's own check of exclusions");

  private static final int TESTS = 450;

  private static final Logger KIT_LOG = Logger.getLogger("org.jsr107.tck");

  private static final Map<String, String> PROPERTIES = new TreeMap<>();

  @TempDir private static Path folder;

  @BeforeAll
  static void name() {
    set(HowdahCachingProvider.DIRECTORY, folder.resolve("default").toString());
    set(HowdahCachingProvider.CODECS, SerializingCodecs.class.getName());
    set(HowdahCachingProvider.MAX_SIZE, "64M");
    set(HowdahCachingProvider.CACHE_BYTES, "4M");
    set("org.jsr107.tck.support.server.address", "127.0.0.1"); // else one that others reach
    KIT_LOG.setLevel(Level.SEVERE);
    set("javax.cache.CacheManager", HowdahCacheManager.class.getName());
    set("javax.cache.Cache", JCache.class.getName());
    set("javax.cache.Cache.Entry", KeyValue.class.getName());
  }

  private static void set(String property, String value) {
    PROPERTIES.put(property, System.getProperty(property, ""));
    System.setProperty(property, value);
  }

  @AfterAll
  static void close() {
    Caching.getCachingProviders().forEach(provider -> provider.close());
    PROPERTIES.forEach(
        (property, value) -> {
          if (value.isEmpty()) {
            System.clearProperty(property);
          } else {
            System.setProperty(property, value);
          }
        });
  }

  private static String reason(String name) {
    return EXCLUDED.entrySet().stream()
        .filter(entry -> name.startsWith(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  private static List<String> classes() {
    try (JarFile jar =
        new JarFile(
            Path.of(
                    CacheTestSupport.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toFile())) {
      return jar.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.matches("[^$]*Test1?\\.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(name -> reason(name).isEmpty())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  @TestFactory
  Stream<DynamicContainer> theKit() throws ClassNotFoundException {
    List<DynamicContainer> all = new ArrayList<>();
    int tests = 0;
    for (String name : classes()) {
      Class<?> type = Class.forName(name);
      List<Description> leaves = new ArrayList<>();
      addLeaves(Request.aClass(type).getRunner().getDescription(), leaves);
      List<Description> wanted =
          leaves.stream()
              .filter(each -> reason(name + "#" + each.getMethodName()).isEmpty())
              .toList();
      tests += wanted.size();
      all.add(dynamicContainer(name, wanted.stream().map(each -> test(type, each))));
    }
    assertThat(tests).as("tests of the kit").isGreaterThanOrEqualTo(TESTS);
    return all.stream();
  }

  /** Adds the tests below a description: a class with parameters has more than one level. */
  private static void addLeaves(Description description, List<Description> leaves) {
    if (description.isTest()) {
      leaves.add(description);
    } else {
      description.getChildren().forEach(child -> addLeaves(child, leaves));
    }
  }

  private static DynamicTest test(Class<?> type, Description test) {
    return dynamicTest(
        test.getMethodName(),
        () -> {
          Request request = Request.aClass(type).filterWith(Filter.matchMethodDescription(test));
          Result result = new JUnitCore().run(request);
          for (Failure failure : result.getFailures()) {
            throw failure.getException();
          }
          assertThat(result.getRunCount() + result.getIgnoreCount()).isEqualTo(1);
        });
  }
}

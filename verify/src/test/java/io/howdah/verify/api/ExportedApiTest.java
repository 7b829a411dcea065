package io.howdah.verify.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.archives3.S3Archives;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.chroniclebytes.MarshallableCodec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Region;
import io.howdah.jackson.JacksonCodec;
import io.howdah.jcache.HowdahCachingProvider;
import io.howdah.log.RedoLog;
import io.howdah.micrometer.StoreMetrics;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.plot.Chart;
import io.howdah.protobuf.ProtobufCodec;
import io.howdah.springboot.HowdahAutoConfiguration;
import io.howdah.springdata.HowdahTransactionManager;
import io.howdah.storetest.StoreCrash;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the published modules export is what {@code docs/api} says. A change of the API is then a
 * change of a file that a reviewer sees; {@code build/accept-api} makes it.
 */
final class ExportedApiTest {

  private static final Path AGREED = Path.of("..", "docs", "api");
  private static final Pattern TYPE = Pattern.compile("\\bio\\.howdah\\.[\\w.$]*\\w");

  /**
   * Types that name others which programs do not see, so that stores alone can make or use them,
   * each with its reason. Java exports packages, not classes.
   */
  private static final Map<String, String> STORES_OWN =
      Map.of(
          "io.howdah.collections.PersistentCollections",
          "calls constructors of the collections that only their package has",
          "io.howdah.collections.ObjectCollections$Kind",
          "calls such constructors for the collections of an object, which is in another package",
          "io.howdah.objects.Orphans",
          "searches with what only the package of objects has",
          "io.howdah.objects.PersistentTypes",
          "makes the implementations of types with what only the package of objects has");

  private static final boolean ACCEPT = System.getProperty("api.accept") != null;

  static Stream<PublishedModule> modules() {
    return Stream.of(
        new PublishedModule("io.howdah.checkpoint", DirtyPages.class),
        new PublishedModule("io.howdah.archives3", S3Archives.class),
        new PublishedModule("io.howdah.chroniclebytes", MarshallableCodec.class),
        new PublishedModule("io.howdah.core", Region.class),
        new PublishedModule("io.howdah.jackson", JacksonCodec.class),
        new PublishedModule("io.howdah.jcache", HowdahCachingProvider.class),
        new PublishedModule("io.howdah.log", RedoLog.class),
        new PublishedModule("io.howdah.micrometer", StoreMetrics.class),
        new PublishedModule("io.howdah.nvmsim", PersistencyModel.class),
        new PublishedModule("io.howdah.plot", Chart.class),
        new PublishedModule("io.howdah.protobuf", ProtobufCodec.class),
        new PublishedModule("io.howdah.springboot", HowdahAutoConfiguration.class),
        new PublishedModule("io.howdah.springdata", HowdahTransactionManager.class),
        new PublishedModule("io.howdah.storetest", StoreCrash.class),
        new PublishedModule("io.howdah.testkit", SimulatedDisk.class),
        new PublishedModule("io.howdah.txn", Tx.class),
        new PublishedModule("io.howdah.collections", PersistentMap.class),
        new PublishedModule("io.howdah", Store.class));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void isWhatWasAgreed(PublishedModule module) throws Exception {
    SortedMap<String, List<String>> now = module.api();
    Path file = AGREED.resolve(module.name() + ".txt");
    if (ACCEPT) {
      Files.createDirectories(AGREED);
      Files.writeString(file, ApiDiff.write(now));
      return;
    }
    String agreed = Files.exists(file) ? Files.readString(file) : "";
    assertThat(ApiDiff.describe(ApiDiff.read(agreed), now))
        .as(
            "%s exports something else than docs/api/%s says.%n"
                + "If that is meant, run build/accept-api and tell users in CHANGELOG.md.",
            module.name(), file.getFileName())
        .isEmpty();
    assertThat(agreed).isEqualTo(ApiDiff.write(now));
  }

  /**
   * What a method returns is of no use to a program on the module path that cannot see its type.
   */
  @Test
  void namesTypesThatProgramsSee() throws Exception {
    SortedMap<String, List<String>> all = new TreeMap<>();
    for (PublishedModule module : modules().toList()) {
      all.putAll(module.api());
    }
    SortedSet<String> unseen = new TreeSet<>();
    all.forEach(
        (owner, lines) ->
            lines.stream()
                .flatMap(line -> TYPE.matcher(line).results())
                .map(MatchResult::group)
                .filter(type -> !all.containsKey(type))
                .forEach(type -> unseen.add(owner + " names " + type)));
    assertThat(unseen).allMatch(each -> STORES_OWN.containsKey(each.split(" ", -1)[0]));
    assertThat(STORES_OWN.keySet()) // a type that needs no exception is none
        .allMatch(type -> unseen.stream().anyMatch(each -> each.startsWith(type + " ")));
  }

  @Test
  void aFileForEachModuleAndNoOther() throws Exception {
    try (Stream<Path> files = Files.list(AGREED)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(modules().map(m -> m.name() + ".txt").toList());
    }
  }

  /** The shapes that a change of an API can take. */
  interface Before<T extends Comparable<T>> {
    int LIMIT = 7;

    void stays();

    T returns(List<? extends T> list) throws java.io.IOException;

    class Hidden {
      private Hidden() {}
    }
  }

  interface After<T extends Comparable<T>> {
    int LIMIT = 8;

    void stays();

    T returns(List<? extends T> list);

    void demanded();
  }

  @Test
  void aChangeIsTold() {
    String told = ApiDiff.describe(described(Before.class), described(After.class));
    assertThat(told)
        .isEqualTo(
            """
            Gone or changed, which breaks programs that use it:
              T
              - public abstract T returns(java.util.List<? extends T>) throws java.io.IOException
              - public static final int LIMIT = 7
            New; what is abstract breaks programs that implement it:
              T
              + public abstract T returns(java.util.List<? extends T>)
              + public abstract void demanded()
              + public static final int LIMIT = 8
            """);
  }

  @Test
  void whatIsWrittenReadsTheSame() {
    SortedMap<String, List<String>> api = described(Before.class);
    assertThat(ApiDiff.read(ApiDiff.write(api))).isEqualTo(api);
  }

  /** Describes a nested type, which nobody outside can see, as if it were a public one called T. */
  private static SortedMap<String, List<String>> described(Class<?> type) {
    SortedMap<String, List<String>> api = new TreeMap<>();
    api.put("T", List.copyOf(ApiText.members(type, _ -> false)));
    return api;
  }
}

package io.howdah.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.examples.bank.Bank;
import io.howdah.examples.cached.CachedService;
import io.howdah.examples.crashtest.CrashTesting;
import io.howdah.examples.graph.FollowerGraph;
import io.howdah.examples.inventory.Inventory;
import io.howdah.examples.jobqueue.JobQueue;
import io.howdah.examples.metrics.MonitoredStore;
import io.howdah.examples.migration.Migration;
import io.howdah.examples.mvstore.ImportMvStore;
import io.howdah.examples.orderbook.OrderBook;
import io.howdah.examples.partition.DependentAndParallel;
import io.howdah.examples.shop.ShopMain;
import io.howdah.examples.socialgraph.SocialGraph;
import io.howdah.examples.spatial.CityIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every example as its user does: a JVM without a flag that it needs, and nothing on stderr.
 */
final class ExamplesTest {

  private static final Path EXAMPLES = Path.of("src", "main", "java", "io", "howdah", "examples");
  private static final long LONGEST_SECONDS = 120;

  @TempDir private Path folder;

  /** For an example's JVM and those that it starts: they end before optimised code would pay. */
  private static final String QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  /** The two lines of each message with which the JDK's logger tells of an opening. */
  private static final Pattern OPENED =
      Pattern.compile(
          ".* (io\\.howdah\\.(Store|store\\.open\\.OpeningMessages|core\\.report\\.ProgramLog)|java\\.lang\\.Thread)"
              + " .*|INFO: store .* (was (created|opened|recovered)[.: ].*|all of its memory is"
              + " recovered .*)");

  /** What a JVM says about {@link #QUICKLY}. */
  private static final Pattern PICKED_UP =
      Pattern.compile("NOTE: Picked up JDK_JAVA_OPTIONS: " + Pattern.quote(QUICKLY));

  /** What Chronicle writes, whatever its user does; docs/chronicle-bytes.md. */
  private static final Pattern CHRONICLE =
      Pattern.compile("WARNING: .*[uU]nsafe.*|net\\.openhft\\.chronicle\\.core\\.Jvm: .*");

  /**
   * An example and a part of what it must print. It gets an empty folder as its argument.
   *
   * @param main its class
   * @param says a regular expression to be found in its output
   */
  record Example(Class<?> main, String says) {
    @Override
    public String toString() {
      return main.getSimpleName();
    }
  }

  static Stream<Example> examples() {
    return Stream.of(
        new Example(CachedService.class, "after the kill: 200 of 200 answers from the cache"),
        new Example(Bank.class, "kill 5: .* 100,000.00 in all accounts"),
        new Example(
            CrashTesting.class, "no coin lost\ncareless wallet: (?s).*are not 100.*replay: -D"),
        new Example(FollowerGraph.class, "reopened: user8 follows \\d+"),
        new Example(SocialGraph.class, "people within four steps"),
        new Example(DependentAndParallel.class, "0 of \\d+ power cuts"),
        new Example(Inventory.class, "orders accepted"),
        new Example(JobQueue.class, "all 4,000 jobs done once"),
        new Example(MonitoredStore.class, "start 2: 2,000 visits"),
        new Example(Migration.class, "(?s)refused: .*stopped: 1,500 moved.*10,000 customers"),
        new Example(ImportMvStore.class, "(?s)people: 20,000 entries.*places: 2,858 entries"),
        new Example(OrderBook.class, "(?s)bid .* ask .* pieces traded"),
        new Example(ShopMain.class, "(?s)killed and started again.*the backup has the shipment"),
        new Example(CityIndex.class, "cities within 40 km of Tallinn, the biggest is Tallinn"));
  }

  @ParameterizedTest
  @MethodSource("examples")
  @Execution(ExecutionMode.CONCURRENT) // each in a JVM and a folder of its own
  void runsAndIsRight(Example example) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                example.main().getName(),
                Files.createDirectory(folder.resolve("data")).toString())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    command.environment().put("JDK_JAVA_OPTIONS", QUICKLY);
    Process jvm = command.start();
    try {
      assertThat(jvm.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
    } finally {
      jvm.destroyForcibly();
    }
    assertThat(Files.readAllLines(err))
        .filteredOn(line -> !PICKED_UP.matcher(line).matches())
        .filteredOn(line -> !OPENED.matcher(line).matches())
        .filteredOn(
            line -> !example.main().equals(OrderBook.class) || !CHRONICLE.matcher(line).matches())
        .isEmpty();
    assertThat(jvm.exitValue()).isZero();
    assertThat(out).content().containsPattern(example.says());
  }

  @Test
  void everyExampleIsRunAndListed() throws IOException {
    List<String> packages = new ArrayList<>();
    try (Stream<Path> folders = Files.list(EXAMPLES)) {
      folders
          .filter(Files::isDirectory)
          .map(f -> f.getFileName().toString())
          .forEach(packages::add);
    }
    assertThat(examples().map(e -> e.main().getPackageName().replaceAll(".*\\.", "")).distinct())
        .containsExactlyInAnyOrderElementsOf(packages);
    String readme = Files.readString(Path.of("README.md"));
    assertThat(packages).allSatisfy(name -> assertThat(readme).contains("howdah/examples/" + name));
  }
}

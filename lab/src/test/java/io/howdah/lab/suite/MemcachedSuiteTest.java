package io.howdah.lab.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.lab.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * memcached's own test suite against this server, where its sources are: {@code
 * -Dmemcached.suite=DIR} names their folder. A file is to be green, or its list says why not.
 */
@EnabledIfSystemProperty(named = "memcached.suite", matches = ".+")
final class MemcachedSuiteTest {

  private static final String SUITE = "memcached.suite";

  @TempDir Path folder;

  static Stream<SuiteFile> files() {
    return SuiteFile.all().stream().filter(file -> file.tier() != SuiteFile.NOT_RUN);
  }

  @ParameterizedTest
  @MethodSource("files")
  void aFileIsGreenUnlessItsListSaysWhyNot(SuiteFile file) throws Exception {
    Path suite = Path.of(System.getProperty(SUITE));
    assumeTrue(Files.exists(suite.resolve("t/" + file.name() + ".t")), "not of this release");
    List<String> serve =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve");
    SuiteResult result = new SuiteFolder(folder, suite, serve).run(file.name());
    assertThat(result.isGreen())
        .as("%s: %s", file.name(), result.problems())
        .isEqualTo(file.reason().isEmpty());
  }
}

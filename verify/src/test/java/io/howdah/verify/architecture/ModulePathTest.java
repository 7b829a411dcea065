package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM of its own resolves the published modules from the module path, as a user's does. */
final class ModulePathTest {

  private static final Pattern OURS_AND_THEIRS =
      Pattern.compile("io\\.howdah(\\..*)?|org\\.jctools\\..*");

  @TempDir private Path folder;

  @Test
  void storeResolvesWithItsOwnModulesAndJctoolsAlone() throws Exception {
    assertThat(resolve("io.howdah"))
        .containsExactlyInAnyOrder(
            "io.howdah",
            "io.howdah.checkpoint",
            "io.howdah.collections",
            "io.howdah.core",
            "io.howdah.log",
            "io.howdah.txn",
            "org.jctools.core",
            "org.jctools.core.jdk11");
  }

  @Test
  void testkitAndSimulatorResolveWithoutTheEngine() throws Exception {
    assertThat(resolve("io.howdah.nvmsim,io.howdah.testkit"))
        .containsExactlyInAnyOrder(
            "io.howdah.core", "io.howdah.nvmsim", "io.howdah.plot", "io.howdah.testkit");
  }

  @Test
  void theSimulatorResolvesWithItsChartsAlone() throws Exception {
    assertThat(resolve("io.howdah.nvmsim"))
        .containsExactlyInAnyOrder("io.howdah.nvmsim", "io.howdah.plot");
  }

  /** Returns what is resolved beside the JDK; fails if the JVM complains about anything. */
  private List<String> resolve(String roots) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path=" + String.join(File.pathSeparator, modulePath()),
                "--add-modules=" + roots,
                "--limit-modules=" + roots,
                "--list-modules")
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(java.waitFor()).as(() -> read(out) + read(err)).isZero();
    assertThat(err).isEmptyFile();
    // A line is "name@version location", the version being optional.
    return read(out)
        .lines()
        .map(line -> line.replaceFirst("[@ ].*", ""))
        .filter(OURS_AND_THEIRS.asMatchPredicate())
        .toList();
  }

  /** The tests' class path holds every module, as a jar or as the folder of its classes. */
  private static List<String> modulePath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> entry.contains("howdah") || entry.contains("jctools-") || isModule(entry))
        .toList();
  }

  private static boolean isModule(String entry) {
    return Files.exists(Path.of(entry, "module-info.class"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }
}

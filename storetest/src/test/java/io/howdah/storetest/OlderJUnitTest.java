package io.howdah.storetest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Crash tests run on JUnit 5.13 as well, in a JVM that has no other. */
final class OlderJUnitTest {

  /** The program of that JVM. */
  static final class Program {
    public static void main(String[] args) {
      TestExecutionSummary good = StoreCrashTestTest.run(Good.class);
      TestExecutionSummary bad = StoreCrashTestTest.run(StoreCrashTestTest.CarelessCase.class);
      System.out.printf(
          "%s %d %d %b%n",
          StoreCrashTest.class.getModule().isNamed(),
          good.getTestsSucceededCount(),
          good.getTestsFailedCount(),
          bad.getTestsFailedCount() > 0);
    }
  }

  /** Run by that JVM. */
  static final class Good {
    @StoreCrashTest
    void coinsAreNeitherMadeNorLost(StoreCrash crash) {
      StoreCrashTestTest.test(crash, Wallet::new);
    }
  }

  @Test
  void crashTestsRunOnJUnit5() throws IOException, InterruptedException {
    String folder = System.getProperty("howdah.olderJUnit");
    Assumptions.assumeTrue(folder != null, "Maven gives the older JUnit");
    File[] jars = Path.of(folder).toFile().listFiles();
    assertThat(jars).hasSize(6);
    Stream<String> own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("junit") && !entry.contains("surefire"));
    List<String> classPath = Stream.concat(Arrays.stream(jars).map(File::getPath), own).toList();
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                String.join(File.pathSeparator, classPath),
                Program.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(java.waitFor()).as(said).isZero();
    assertThat(said).isEqualTo("false 41 0 true\n");
  }
}

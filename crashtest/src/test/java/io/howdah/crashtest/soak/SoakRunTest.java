package io.howdah.crashtest.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The soak from end to end, on an engine that acknowledges what it does not do. */
final class SoakRunTest {

  @Test
  void lostOperationsAreNoticed(@TempDir Path folder) throws Exception {
    SoakOptions options =
        new SoakOptions(
            folder.resolve("store"), 1, Duration.ofSeconds(1), 2, 0, 1, SoakPlant.LOST_OPERATIONS);
    try (SoakRun run = new SoakRun(options, (_, _, _) -> {})) {
      SoakReport report = run.run();
      assertThat(report.violations()).isNotEmpty();
      // The count alone tells if the last operation before the kill is a lost one.
      assertThat(report.violations().getFirst())
          .containsPattern(
              "is not what \\d+ operations make it|operations after kill, acknowledged were");
    }
  }
}

package io.howdah.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServeKill;
import io.howdah.crashtest.serve.ServeKillOptions;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few kills of a server under load. {@code howdah test serve-kill} makes many. */
final class ServeKillTest {

  @TempDir Path folder;

  @Test
  void nothingAcknowledgedIsLost() throws Exception {
    ServeKillOptions options =
        new ServeKillOptions(
            folder, 3, 2, Duration.ofMillis(1500), 4, List.of("async", "sync"), List.of("shared"));
    Launcher launcher = Launcher.of(System.getProperty("java.class.path"));
    ServeKill.Report report = new ServeKill(options, launcher, (_, _, _, _) -> {}).run();
    assertThat(report.violations()).isEmpty();
    assertThat(report.kills()).isEqualTo(2);
    assertThat(report.attached()).isPositive();
    assertThat(report.acknowledged()).isPositive();
  }
}

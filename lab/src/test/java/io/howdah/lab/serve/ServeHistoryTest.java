package io.howdah.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.RegisterHistory;
import io.howdah.crashtest.serve.ServerProcess;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What connections see that work on the same keys at the same time. */
final class ServeHistoryTest {

  private static final Launcher LAUNCHER = Launcher.of(System.getProperty("java.class.path"));

  @TempDir Path folder;

  @Test
  void historiesOfOneKeyAreLinearizable() throws Exception {
    check("async", 40);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"async", "sync", "none"})
  void manyHistoriesAreLinearizable(String mode) throws Exception {
    check(mode, 2000);
  }

  private void check(String mode, int rounds) throws Exception {
    try (ServerProcess server = LAUNCHER.start(folder, 0, "--mode", mode)) {
      for (int round = 0; round < rounds; round++) {
        RegisterHistory history = new RegisterHistory(server.port(), round, 4, 1);
        assertThat(history.run("r" + round + ":", 60)).isEmpty();
      }
    }
  }
}

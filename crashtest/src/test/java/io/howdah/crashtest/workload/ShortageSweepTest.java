package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few operations of {@code howdah test shortage}. */
final class ShortageSweepTest {

  @TempDir private Path folder;

  @Test
  void aStoreSurvivesTheEndOfTheStack() throws Exception {
    StringWriter lines = new StringWriter();
    boolean passed = ShortageSweep.run(folder, Shortage.STACK, 1, 100, 20, new PrintWriter(lines));
    assertThat(passed).as(lines.toString()).isTrue();
    assertThat(lines.toString()).contains("USABLE");
  }
}

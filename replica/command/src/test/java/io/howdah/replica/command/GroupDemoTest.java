package io.howdah.replica.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service of three processes whose leader is killed, and stands still. */
@Timeout(600)
class GroupDemoTest {

  @TempDir private Path directory;

  @Test
  void nothingAcknowledgedIsLostWhenLeadersAreKilledOrStandStill() throws Exception {
    try (GroupDemo demo = new GroupDemo(directory)) {
      demo.kill();
      demo.pause();
      demo.kill();
      assertThat(demo.errors()).as("nothing on stderr").isEmpty();
      GroupDemo.Figures figures = demo.figures();
      assertThat(figures.acknowledged()).isGreaterThan(200);
      assertThat(figures.reads()).as("members that follow are read").isPositive();
      assertThat(figures.toString()).contains("kills 2  pauses 1", "lost 0", "fail-over p50");
    }
  }
}

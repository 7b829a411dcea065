package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store's own persist order by command, and its recorded runs as traces for the others. */
final class StoreCommandTest {
  private final SimRunner runner = new SimRunner();

  @TempDir Path folder;

  @Test
  void ordersAndRecordedRunsArePrintedAndExported() {
    assertThat(runner.run("store", "--quick", "--export", folder.toString()))
        .as(runner.out() + runner.err())
        .isZero();
    assertThat(runner.out())
        .containsPattern("8 SYNC adds to a queue +8 +64 +8 +8 +8 durable")
        .contains("LOC-Kiln", "recorded queue")
        .doesNotContain("VIOLATION");
    String trace = folder.resolve("queue.trace").toString();
    assertThat(runner.run("persistency", "--trace", trace)).as(runner.err()).isZero();
    assertThat(runner.out()).contains("buffered-strict");
  }
}

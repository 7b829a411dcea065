package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The quick edition of the three reproductions, as one report. */
final class AllCommandTest {
  private final SimRunner runner = new SimRunner();

  @TempDir Path folder;

  @Tag("campaign")
  @Test
  void oneReportAndTheTimeOfEachPaper() throws IOException {
    Path json = folder.resolve("all.json");
    int exit = runner.run("all", "--quick", "--out", folder.toString(), "--json", json.toString());
    assertThat(exit).as(runner.out() + runner.err()).isZero();
    assertThat(folder.resolve("report.html")).content().contains("figure7.svg", "verdict");
    assertThat(SimRunner.metric(Files.readString(json), "sim.processorSec")).isPositive();
  }
}

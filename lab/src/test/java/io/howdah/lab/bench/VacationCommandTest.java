package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class VacationCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new VacationCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void everyFigureAndPlotIsThere() throws Exception {
    Path figures = folder.resolve("vacation.json");
    Path plots = folder.resolve("plots");
    int code =
        run(
            "--relations=200",
            "--rounds=1",
            "--round-millis=5",
            "--threads=2",
            "--dir=" + folder.resolve("stores"),
            "--out=" + plots,
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> found = FiguresOf.smallest(figures);
    for (String metric :
        new String[] {
          "vacation.volatile.txnPerSec",
          "vacation.async.txnPerSec",
          "vacation.async.overVolatile",
          "vacation.splitPhase.overAsync",
          "vacation.partitionSplitPhase.overAsync",
          "baseline.force.perSec"
        }) {
      assertThat(found).containsKey(metric);
      assertThat(found.get(metric)).as(metric).isPositive();
    }
    for (String plot :
        new String[] {
          "figure4b-low.svg", "figure4b-low.png", "figure4b-high.svg", "figure4b-high.png"
        }) {
      assertThat(plots.resolve(plot)).isNotEmptyFile();
    }
    assertThat(out.toString()).contains("low", "high", "partition every 0.2 ms");
  }

  @Test
  void refusesAnOptionOutOfItsRange() {
    assertThat(run("--relations=0")).isEqualTo(2);
    assertThat(err.toString()).contains("--relations must be from 1 to 16,777,216: 0");
  }
}

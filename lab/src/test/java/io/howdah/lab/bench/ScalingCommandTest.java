package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ScalingCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new ScalingCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void everyFigureAndPlotIsThere() throws Exception {
    Path figures = folder.resolve("scaling.json");
    Path plots = folder.resolve("plots");
    int code =
        run(
            "--heap-mib=4",
            "--threads=1,2,8",
            "--line-threads=2",
            "--rounds=1",
            "--round-millis=3",
            "--dir=" + folder.resolve("stores"),
            "--out=" + plots,
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> found = FiguresOf.largest(figures);
    for (String metric :
        new String[] {
          "scaling.txnPerSec",
          "scaling.cpuMicrosPerTxn",
          "scaling.line.cpuNanosPerTxn",
          "scaling.untilDurable.meanMillis",
          "scaling.model.ownNanos",
          "scaling.model.txnPerSec",
          "baseline.emptyLoop.perSec",
          "baseline.memcpy.bytesPerSec",
          "baseline.rawSixWords.perSec",
          "baseline.force.perSec",
          "baseline.lineHandOver.nanos"
        }) {
      assertThat(found).containsKey(metric);
      assertThat(found.get(metric)).as(metric).isPositive();
    }
    // The system counts a process's time in steps of 10 ms, so a short round may have none.
    assertThat(found).containsKeys("scaling.line.costNanos", "scaling.cpuShare");
    for (String plot :
        new String[] {
          "figure4a", "figure4a-latency", "figure4a-cpu", "scaling-lines", "scaling-model"
        }) {
      assertThat(plots.resolve(plot + ".svg")).isNotEmptyFile();
      assertThat(plots.resolve(plot + ".png")).isNotEmptyFile();
    }
    assertThat(out.toString())
        .contains("the version clock", "single log", "raw force", "Hathi: 14 ms", "less than 20 %");
  }

  /** The gain over one thread needs a run with one thread, which need not come first. */
  @Test
  void thereIsNoGainOverOneThreadThatWasNotMeasured() {
    String[] small = {
      "--heap-mib=4", "--rounds=1", "--round-millis=1", "--line-threads=2", "--processors=2"
    };
    int code =
        run(Stream.concat(Stream.of("--threads=4,1"), Stream.of(small)).toArray(String[]::new));
    assertThat(code).as("%s", err).isZero();
    List<String> rows =
        out.toString().lines().filter(line -> line.matches(" +[41]  volatile .*")).toList();
    assertThat(rows).hasSize(2);
    assertThat(rows.getFirst()).matches(" +4  volatile +\\S+( [kM])? +[0-9]+ ns .*");
    assertThat(rows.getLast()).matches(" +1  volatile +\\S+( [kM])? +1\\.00 +[0-9]+ ns .*");
  }

  @Test
  void refusesAnOptionOutOfItsRange() {
    assertThat(run("--threads=0")).isEqualTo(2);
    assertThat(err.toString()).contains("--threads must be from 1 to 1,024: 0");
  }

  @Test
  void theTopOfAPlotIsARoundNumber() {
    assertThat(ScalingPlots.roundTop(17.2)).isCloseTo(20, within(1e-9));
    assertThat(ScalingPlots.roundTop(21)).isCloseTo(25, within(1e-9));
    assertThat(ScalingPlots.roundTop(0.7)).isCloseTo(1, within(1e-9));
  }
}

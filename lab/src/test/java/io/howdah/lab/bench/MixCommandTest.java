package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class MixCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(MixCommand command, String... arguments) {
    return new CommandLine(command)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private void writesEveryFigure(MixCommand command, String prefix, String... sizes)
      throws Exception {
    Path figures = folder.resolve("figures.json");
    String[] arguments = new String[sizes.length + 6];
    System.arraycopy(sizes, 0, arguments, 6, sizes.length);
    arguments[0] = "--rounds=1";
    arguments[1] = "--round-millis=5";
    arguments[2] = "--threads=2";
    arguments[3] = "--dir=" + folder.resolve("stores");
    arguments[4] = "--json=" + figures;
    arguments[5] = "--out=" + folder.resolve("plots");
    assertThat(run(command, arguments)).as("%s", err).isZero();
    Map<String, Double> found = FiguresOf.largest(figures);
    for (String metric :
        new String[] {
          ".volatile.txnPerSec",
          ".async.overVolatile",
          ".partition.overAsync",
          ".sync.overAsync",
          ".sync.latencyMicros",
          ".verified"
        }) {
      assertThat(found).containsKey(prefix + metric);
      assertThat(found.get(prefix + metric)).as(metric).isPositive();
    }
    // The system counts a process's time in steps of 10 ms, so a short round may have none.
    assertThat(found).containsKeys(prefix + ".sync.cpuMicrosPerTxn", "baseline.force.perSec");
    assertThat(folder.resolve("plots/" + prefix + "-latencies.svg")).isNotEmptyFile();
    assertThat(folder.resolve("plots/" + prefix + "-latencies.png")).isNotEmptyFile();
    assertThat(out.toString()).contains("the data of both stores is consistent");
  }

  @Test
  void theBankIsMeasuredAndVerified() throws Exception {
    writesEveryFigure(new TpcbCommand(), "tpcb", "--branches=4", "--accounts=50");
  }

  @Test
  void theGraphIsMeasuredAndVerified() throws Exception {
    writesEveryFigure(new GraphCommand(), "graph", "--people=100");
  }

  @Test
  void refusesAnOptionOutOfItsRange() {
    assertThat(run(new GraphCommand(), "--people=1")).isEqualTo(2);
    assertThat(err.toString()).contains("--people must be from 2 to 16,777,216: 1");
  }
}

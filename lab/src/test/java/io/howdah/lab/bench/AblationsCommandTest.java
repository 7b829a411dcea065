package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class AblationsCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new AblationsCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void everyDecisionIsMeasured() throws Exception {
    Path figures = folder.resolve("ablations.json");
    int code =
        run(
            "--heap-mib=1",
            "--threads=2",
            "--rounds=1",
            "--round-millis=2",
            "--dir=" + folder.resolve("stores"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> found = FiguresOf.smallest(figures);
    for (String metric :
        new String[] {
          "ablation.txnPerSec",
          "ablation.overDefault",
          "ablation.cpuOverDefault",
          "baseline.force.perSec"
        }) {
      assertThat(found).containsKey(metric);
      assertThat(found.get(metric)).as(metric).isPositive();
    }
    assertThat(out.toString())
        .contains(
            "not marked, no checkpoints",
            "word by word",
            "2^22",
            "version clock, stand-in in C",
            "one thread");
  }

  @Test
  void refusesAnOptionOutOfItsRange() {
    assertThat(run("--heap-mib=0")).isEqualTo(2);
    assertThat(err.toString()).contains("--heap-mib must be from 1 to 65,536: 0");
  }
}

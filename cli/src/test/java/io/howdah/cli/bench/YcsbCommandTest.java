package io.howdah.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class YcsbCommandTest {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--quick", "--no-spinners", "--rounds=1"));
    all.add("--round-millis=20");
    all.addAll(List.of(arguments));
    return new CommandLine(new YcsbCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  @Test
  void everyFigureIsThere() throws Exception {
    Path figures = folder.resolve("ycsb.json");
    int code = run("--value-bytes=100", "--dir=" + folder.resolve("stores"), "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    for (String mix : List.of("A", "B", "C", "D", "F")) {
      assertThat(FiguresOf.smallest(figures))
          .as(mix)
          .hasEntrySatisfying("ycsb." + mix + ".opsPerSec", rate -> assertThat(rate).isPositive())
          .hasEntrySatisfying(
              "ycsb." + mix + ".serverCpuMicrosPerOp", cpu -> assertThat(cpu).isNotNegative())
          .hasEntrySatisfying(
              "ycsb." + mix + ".hitRatio", ratio -> assertThat(ratio).isEqualTo(1.0));
    }
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThat(run("--depths=0", "--dir=" + folder.resolve("a"))).isEqualTo(2);
    assertThat(run("--value-bytes=15", "--dir=" + folder.resolve("b"))).isEqualTo(2);
    assertThat(run("--records=0", "--dir=" + folder.resolve("c"))).isEqualTo(2);
    assertThat(run("--workloads=E", "--dir=" + folder.resolve("d"))).isEqualTo(2);
    assertThat(run("--threads=4", "--connections=3", "--dir=" + folder.resolve("e"))).isEqualTo(2);
  }
}

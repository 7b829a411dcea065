package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class PersistencyCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  private int run(String... arguments) {
    return new CommandLine(new PersistencyCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void writesTablesFiguresAndMetrics() throws IOException {
    Path json = folder.resolve("p.json");
    int exit =
        run(
            "--inserts",
            "800",
            "--native-inserts",
            "0",
            "--out",
            folder.toString(),
            "--json",
            json.toString());
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("Table 1", "2LC-paper", "no cycle", "races with", "verdict")
        .doesNotContain("VIOLATION");
    for (String figure :
        new String[] {"figure2-cwl", "figure2-2lc", "figure3", "figure4", "figure5"}) {
      assertThat(folder.resolve(figure + ".svg")).content().startsWith("<svg").endsWith("</svg>\n");
      assertThat(Files.readAllBytes(folder.resolve(figure + ".png")))
          .startsWith(0x89, 'P', 'N', 'G');
    }
    assertThat(folder.resolve("figure2-cwl-strict.dot")).isNotEmptyFile();
    assertThat(folder.resolve("figure2-cwl-epoch.graphml")).isNotEmptyFile();
    assertThat(folder.resolve("persistency.csv")).content().contains("CWL,8,racing,8,8,0,160");
    assertThat(json)
        .content()
        .contains(
            "\"persistency.criticalPathPerInsert\"",
            "\"persistency.table1\"",
            "\"persistency.breakEvenNanos\"",
            "\"2LC-listed\"");
  }

  @Test
  void analysesOnlyTheModelsAskedFor() {
    assertThat(run("--inserts", "80", "--native-inserts", "0", "--model", "epoch")).isZero();
    assertThat(out.toString()).contains("epoch").doesNotContain("buffered-strict  ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--threads=0",
        "--threads=65",
        "--inserts=0",
        "--persist-granularity=12",
        "--tracking-granularity=4",
        "--model=nonsense",
        "--model-path=/no/such/folder",
        "--policy=nonsense",
        "--native-inserts=-1"
      })
  void wrongUsageExitsWithTwoAndSaysWhy(String argument) {
    assertThat(run(argument)).isEqualTo(2);
    assertThat(err.toString()).isNotBlank();
    assertThat(out.toString()).isEmpty();
  }
}

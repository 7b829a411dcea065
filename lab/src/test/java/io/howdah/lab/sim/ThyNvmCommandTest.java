package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small edition of the reproduction: Figure 7 within its band, counts, crash checks. */
final class ThyNvmCommandTest {
  private final SimRunner runner = new SimRunner();

  @TempDir Path folder;

  @Tag("campaign")
  @Test
  void theQuickSetReproducesFigure7AndRecovers() throws IOException {
    Path json = folder.resolve("t.json");
    int exit =
        runner.run("thynvm", "--quick", "--out", folder.toString(), "--json", json.toString());
    assertThat(exit).as(runner.out() + runner.err()).isZero();
    assertThat(runner.out())
        .contains(", 0 violations", "the same", "verdict")
        .doesNotContain(
            "VIOLATION", "Figure 7, random, Journal within", "Figure 7, streaming,", "  sliding: ");
    for (String figure : new String[] {"figure7", "figure8", "stalls", "figure9a", "figure11"}) {
      assertThat(folder.resolve(figure + ".svg")).content().startsWith("<svg").endsWith("</svg>\n");
      assertThat(Files.readAllBytes(folder.resolve(figure + ".png")))
          .startsWith(0x89, 'P', 'N', 'G');
    }
    assertThat(folder.resolve("thynvm.csv")).content().contains("thynvm.overIdealDram,ratio,");
    assertThat(Files.readString(json))
        .contains("\"thynvm.overIdealDram\"", "\"Ideal NVM\"", "\"thynvm.nvmWriteMB\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--mode=text",
        "--btt=15",
        "--ptt=0",
        "--dram=0",
        "--epoch-ms=0",
        "--epoch-ms=NaN",
        "--scale=5",
        "--seed=x",
        "--preset=optane",
        "--trace=no-such-file",
        "--workload-path=no-such-folder",
        "--thresholds --mode=artifact",
        "--preset=pmep --thresholds"
      })
  void wrongUsageExitsWithTwoAndSaysWhy(String argument) {
    assertThat(runner.run(("thynvm " + argument).split(" "))).isEqualTo(2);
    assertThat(runner.err()).isNotBlank();
    assertThat(runner.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"thynvm", "persistency", "loc", "all"})
  void aFolderThatCannotBeWrittenIsRefusedBeforeTheRuns(String command) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    for (Path wrong : new Path[] {file, file.resolve("below")}) {
      assertThat(runner.run(command, "--out", wrong.toString())).isEqualTo(2);
    }
    assertThat(runner.err()).contains("--out must be a folder").doesNotContain("\tat ");
    assertThat(runner.out()).isEmpty();
  }

  @Test
  void dramAndPagesContradictEachOther() {
    assertThat(runner.run("thynvm", "--ptt=64", "--dram=1")).isEqualTo(2);
    assertThat(runner.err()).contains("--ptt and --dram");
  }
}

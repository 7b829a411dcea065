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

/** The small edition of the whole reproduction: every order, every mean, power cuts. */
final class LocCommandTest {
  private final SimRunner runner = new SimRunner();

  @TempDir Path folder;

  @Tag("campaign")
  @Test
  void theQuickSetKeepsEveryOrderAndEveryMean() throws IOException {
    Path json = folder.resolve("l.json");
    int exit = runner.run("loc", "--quick", "--out", folder.toString(), "--json", json.toString());
    assertThat(exit).as(runner.out() + runner.err()).isZero();
    assertThat(runner.out())
        .contains("LOC-WAL, SD 32", "worst slowdown", "Power cuts", "verdict")
        .doesNotContain("VIOLATION", "NOT FOUND");
    for (String figure : new String[] {"figure6", "figure7", "figure8", "figure9", "traffic"}) {
      assertThat(folder.resolve(figure + ".svg")).content().startsWith("<svg").endsWith("</svg>\n");
      assertThat(Files.readAllBytes(folder.resolve(figure + ".png")))
          .startsWith(0x89, 'P', 'N', 'G');
    }
    assertThat(folder.resolve("loc.csv"))
        .content()
        .contains("hash,1,1,1,LOC-WAL,32,loc-168,32,false,");
    String metrics = Files.readString(json);
    assertThat(metrics)
        .contains("\"loc.normalizedThroughput\"", "\"LOC-Kiln\"", "\"loc.writeTrafficOverhead\"");
    assertThat(SimRunner.metric(metrics, "loc.powerCuts.states")).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--transactions=255",
        "--seeds=0",
        "--seeds=101",
        "--workload=nonsense",
        "--workload=tpcb"
      })
  void wrongUsageExitsWithTwoAndSaysWhy(String argument) {
    assertThat(runner.run("loc", argument)).isEqualTo(2);
    assertThat(runner.err()).isNotBlank();
    assertThat(runner.out()).isEmpty();
  }
}

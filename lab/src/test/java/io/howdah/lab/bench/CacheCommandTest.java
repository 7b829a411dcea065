package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CacheCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new CacheCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void hitRatiosStandBesideThoseOfOtherPolicies() throws Exception {
    Path trace = folder.resolve("same.trace");
    Files.write(trace, List.of("a 1", "b 1", "a 2", "b 3"));
    Path figures = folder.resolve("cache.json");
    int code =
        run(
            "--part=RATIOS",
            "--trace-entries=50",
            "--requests=5000",
            "--trace=" + trace,
            "--dir=" + folder.resolve("stores"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> smallest = FiguresOf.smallest(figures);
    Map<String, Double> largest = FiguresOf.largest(figures);
    assertThat(smallest.get("cache.hitRatio")).as("LRU in a loop").isZero();
    assertThat(largest.get("cache.hitRatio")).isBetween(0.7, 1.0);
    String text = out.toString();
    assertThat(text.lines().filter(line -> line.contains("same.trace")).findFirst().orElse(""))
        .as("two of four are hits, of any policy")
        .containsPattern("50\\.0 +50\\.0 +50\\.0 +50\\.0");
  }

  @Test
  void timesAndBytesStandBesideThoseOfAMap() throws Exception {
    Path figures = folder.resolve("cache.json");
    int code =
        run(
            "--part=SPEED,SPACE",
            "--entries=500",
            "--rounds=1",
            "--round-millis=3",
            "--dir=" + folder.resolve("stores"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> values = FiguresOf.smallest(figures);
    assertThat(values.get("cache.hitOverGet")).isPositive();
    assertThat(values.get("cache.evictOverInsert")).isPositive();
    assertThat(values.get("cache.entryWeight")).isEqualTo(16 + 32);
    assertThat(values.get("cache.entryBytes")).isBetween(32.0, 2000.0);
  }

  /** The child is a JVM; the store is small. */
  @Test
  void aCacheIsThereAfterItsProcessWasKilled() throws Exception {
    Path figures = folder.resolve("cache.json");
    int code =
        run(
            "--part=KILL",
            "--kill-entries=2000",
            "--value-bytes=16",
            "--openings=2",
            "--recovery-goal=100",
            "--dir=" + folder.resolve("stores"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> values = FiguresOf.smallest(figures);
    assertThat(values.get("cache.kill.ratioBefore")).isBetween(0.5, 1.0);
    double before = Objects.requireNonNull(values.get("cache.kill.ratioBefore"));
    assertThat(values.get("cache.kill.ratioInASecond")).isGreaterThan(before - 0.1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--entries=99",
        "--value-bytes=0",
        "--requests=99",
        "--trace-entries=9",
        "--kill-entries=0",
        "--openings=0",
        "--recovery-goal=9",
        "--trace=absent",
        "--part=ALL"
      })
  void aValueOutOfItsRangeExitsWithTwoAndSaysWhich(String argument) {
    assertThat(run(argument, "--dir=" + folder.resolve("stores"))).isEqualTo(2);
    assertThat(err.toString()).contains(argument.substring(0, argument.indexOf('=')));
  }
}

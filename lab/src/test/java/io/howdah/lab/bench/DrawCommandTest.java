package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The drawings that docs/benchmarks keeps are those of the figures beside them. */
final class DrawCommandTest {

  private static final Path KEPT = Path.of("../docs/benchmarks");

  @TempDir private Path folder;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new DrawCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private static Path kept(String command) throws IOException {
    try (Stream<Path> files = Files.list(KEPT)) {
      return files
          .filter(file -> file.getFileName().toString().matches(command + "-.*\\.json"))
          .findFirst()
          .orElseThrow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"peers", "scaling", "vacation"})
  void keptDrawingsAreThoseOfTheKeptFigures(String command) throws IOException {
    assertThat(run(kept(command).toString(), "--out=" + folder)).as("%s", err).isZero();
    List<Path> drawn;
    try (Stream<Path> files = Files.list(folder)) {
      drawn = files.filter(file -> file.toString().endsWith(".svg")).toList();
    }
    int compared = 0;
    for (Path file : drawn) {
      Path same = KEPT.resolve(file.getFileName());
      if (Files.exists(same)) {
        assertThat(same).hasSameTextualContentAs(file);
        compared++;
      }
    }
    assertThat(compared).isPositive();
  }

  @Test
  void whatIsNotMeasuredIsNotDrawnAsNothing() throws IOException {
    Path kept = kept("peers");
    assertThat(run(kept.toString(), "--out=" + folder)).isZero();
    String commit = kept.toString().replaceAll(".*-|\\.json", "");
    assertThat(folder.resolve("peers.svg"))
        .content()
        .contains("not measured", "Howdah, sorted map", "sync, 8 threads", "commit " + commit);
  }

  @Test
  void refusesResultsThatHaveNoCharts() throws IOException {
    assertThat(run(kept("w6").toString(), "--out=" + folder.resolve("plots"))).isEqualTo(2);
    assertThat(err.toString()).contains("is a result of bench w6", "bench peers");
    assertThat(folder.resolve("plots")).doesNotExist();
    Path text = Files.writeString(folder.resolve("text.json"), "[]");
    assertThat(run(text.toString(), "--out=" + folder)).isEqualTo(2);
    assertThat(err.toString()).contains("is no result of a measurement");
    Files.writeString(text, "# a title");
    assertThat(run(text.toString(), "--out=" + folder)).isEqualTo(2);
    assertThat(err.toString())
        .contains("measurement: Unexpected character")
        .doesNotContain("Source");
  }
}

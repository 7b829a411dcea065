package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ObjectsCommandTest {

  @TempDir Path folder;

  @Test
  void eachFigureStandsBesideItsBaseline() throws Exception {
    StringWriter err = new StringWriter();
    Path figures = folder.resolve("objects.json");
    int code =
        new CommandLine(new ObjectsCommand())
            .setOut(new PrintWriter(new StringWriter(), true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "--entries=1050",
                "--load-entries=1000",
                "--rounds=1",
                "--round-millis=5",
                "--dir=" + folder.resolve("stores"),
                "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> values = FiguresOf.smallest(figures);
    assertThat(values).allSatisfy((name, value) -> assertThat(value).as(name).isFinite());
    double load = values.getOrDefault("objects.load100.nanos", 0.0);
    double twin = values.getOrDefault("baseline.hashMapLoad.nanos", 0.0);
    assertThat(load).isBetween(20.0, 10_000_000.0);
    assertThat(values.get("objects.load100.overHashMap")).isEqualTo(load / twin, offset(1e-6));
    assertThat(values.get("objects.load.overFirstTouch")).isPositive();
    assertThat(values.get("objects.load.overTouchAndStore")).isPositive();
  }
}

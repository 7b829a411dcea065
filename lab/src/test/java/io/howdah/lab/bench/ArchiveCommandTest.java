package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ArchiveCommandTest {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new ArchiveCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void bothStoresHaveTheArchiveAndEveryFigureIsThere() throws Exception {
    Path figures = folder.resolve("archive.json");
    Path place = folder.resolve("place");
    int code =
        run(
            "--rounds=1",
            "--round-millis=20",
            "--heap-mib=4",
            "--every-millis=10",
            "--dir=" + folder.resolve("stores"),
            "--archive-dir=" + place,
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    Map<String, Double> smallest = FiguresOf.smallest(figures);
    for (String metric :
        List.of(
            "baseline.force.perSec",
            "baseline.sequentialWrite.bytesPerSec",
            "archive.txnPerSec",
            "archive.throughputKept",
            "archive.cpuNanosPerTxn",
            "archive.cpuRatio",
            "archive.restMillis",
            "archive.writtenBytes")) {
      assertThat(smallest).containsKey(metric);
      assertThat(smallest.get(metric)).as(metric).isPositive();
    }
    // Each of four phases copies the whole heap.
    assertThat(smallest.get("archive.writtenBytes")).isGreaterThan(4 * 4 * (1 << 20));
    assertThat(smallest).containsEntry("archive.gaps", 0.0);
    assertThat(Files.exists(place)).isFalse();
  }

  @Test
  void anIntervalThatNoArchiveHasIsRefused() {
    assertThat(run("--every-millis=9")).isEqualTo(2);
    assertThat(err.toString()).contains("--every-millis must be from 10");
  }

  @Test
  void aPlaceThatHoldsSomethingIsRefused() throws Exception {
    Path place = Files.createDirectory(folder.resolve("place"));
    Files.writeString(place.resolve("note"), "of somebody else");
    int code = run("--dir=" + folder.resolve("stores"), "--archive-dir=" + place);
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains("--archive-dir", "is not empty");
    assertThat(place.resolve("note")).exists();
  }
}

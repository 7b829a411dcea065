package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("scaled")
final class ConflictsCommandTest {

  @TempDir Path folder;

  @Test
  void eachWorkRunsOnBothKindsOfMap() throws Exception {
    StringWriter err = new StringWriter();
    Path figures = folder.resolve("conflicts.json");
    int code =
        new CommandLine(new ConflictsCommand())
            .setOut(new PrintWriter(new StringWriter(), true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "--entries=2000",
                "--threads=4",
                "--rounds=1",
                "--round-millis=20",
                "--dir=" + folder.resolve("stores"),
                "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    String json = Files.readString(figures);
    assertThat(Pattern.compile("conflicts\\.abortsPerThousand").matcher(json).results()).hasSize(8);
    assertThat(
            Pattern.compile("conflicts\\.txnPerCpuSec\",[^}]*?\"value\" : ([0-9.E]+)")
                .matcher(json)
                .results()
                .map(found -> Double.valueOf(found.group(1))))
        .hasSize(8)
        .allMatch(rate -> rate > 0);
  }
}

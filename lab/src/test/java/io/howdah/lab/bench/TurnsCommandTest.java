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
final class TurnsCommandTest {

  @TempDir Path folder;

  @Test
  void eachSubjectIsMeasured() throws Exception {
    StringWriter err = new StringWriter();
    Path figures = folder.resolve("turns.json");
    int code =
        new CommandLine(new TurnsCommand())
            .setOut(new PrintWriter(new StringWriter(), true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "--threads=50",
                "--rounds=1",
                "--round-millis=100",
                "--dir=" + folder.resolve("stores"),
                "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    String json = Files.readString(figures);
    assertThat(Pattern.compile("turns\\.longestWaitMs").matcher(json).results()).hasSize(4);
    assertThat(Pattern.compile("turns\\.longestReadMs").matcher(json).results()).hasSize(1);
    assertThat(Pattern.compile("turns\\.syncOverForce").matcher(json).results()).hasSize(1);
    assertThat(Pattern.compile("baseline\\.forcesPerSec").matcher(json).results()).hasSize(1);
    assertThat(
            Pattern.compile("turns\\.txnPerSec\",[^}]*?\"value\" : ([0-9.E]+)")
                .matcher(json)
                .results()
                .map(found -> Double.valueOf(found.group(1))))
        .hasSize(4)
        .allMatch(rate -> rate > 0);
  }
}

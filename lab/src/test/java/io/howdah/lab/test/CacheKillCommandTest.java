package io.howdah.lab.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CacheKillCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new CacheKillCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(arguments);
  }

  @Test
  void aCacheHoldsItsBoundAndItsEntriesOverKills() {
    int code =
        run(
            "--operations=20000",
            "--kills=3",
            "--life=6000",
            "--keys=2000",
            "--entries=700",
            "--dir=" + folder.resolve("run"));
    assertThat(code).as("%s", out).isZero();
    assertThat(out.toString()).contains(" 0 violations").doesNotContain(" 0 entries checked");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--operations=0",
        "--kills=0",
        "--life=0",
        "--threads=65",
        "--keys=0",
        "--entries=99",
        "--seconds=0"
      })
  void aValueOutOfItsRangeExitsWithTwoAndSaysWhich(String argument) {
    assertThat(run(argument)).isEqualTo(2);
    assertThat(out.toString()).contains(argument.substring(0, argument.indexOf('=')));
  }
}

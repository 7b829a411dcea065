package io.howdah.lab.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class MutateCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--tests=a.{b,c | --tests: 'a.{b,c' is no pattern",
        "--tests=a.B,,c.D | --tests: '' matches no name",
        "--classes=a.[ | --classes: 'a.[' is no pattern",
        "--classes=a/B | --classes: 'a/B' matches no name",
        "--module=none | --module: ",
        "--min-score=101 | --min-score must be",
        "--jobs=0 | --jobs must be above 0",
        "--part=0 | --part must be above 0",
        "--part=NaN | --part must be above 0",
        "--operators=some | --operators",
      })
  void wrongOptionsAreNamedBeforeAnythingIsCompiled(String option, String complaint) {
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new MutateCommand())
            .setErr(new PrintWriter(err))
            .execute("--module=log", "--sources=..", option);
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains(complaint);
  }
}

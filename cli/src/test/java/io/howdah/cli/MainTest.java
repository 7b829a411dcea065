package io.howdah.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.HowdahException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

final class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void serveTellsItsVersionAndItsLicence() {
    assertThat(run("serve", "-V")).isZero();
    assertThat(out.toString()).startsWith("howdah ");
    assertThat(run("serve", "-i")).isZero();
    assertThat(out.toString()).contains("Apache License, Version 2.0", "Netty");
  }

  @Test
  void helpGoesToStandardOutputAndExitsWithZero() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("Usage: howdah", "Commands:", "serve", "verify");
    assertThat(err.toString()).isEmpty();
  }

  /** The archive has no module that measures, tests or simulates. */
  @ParameterizedTest
  @ValueSource(strings = {"demo", "bench", "test", "sim"})
  void commandsForEngineersAreAbsent(String command) {
    assertThat(run(command)).isEqualTo(2);
    assertThat(err.toString()).contains("Unmatched argument");
    assertThat(Main.program().commandLine().getUsageMessage())
        .doesNotContainPattern("(?m)^  " + command + " ");
  }

  @Test
  void versionNamesTheProgramAndTheJvm() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("howdah ").contains("JVM " + Runtime.version());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--no-such-option", "no-such-command", "get", "get --nonsense"})
  void wrongUsageExitsWithTwoAndSaysSoOnStandardError(String arguments) {
    assertThat(run(arguments.isEmpty() ? new String[0] : arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("howdah");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void expectedFailureIsOneLineAndExitsWithOne() {
    assertThat(runFailing(() -> new HowdahException("the disk is full; free some space"))).isOne();
    assertThat(err.toString()).isEqualTo("howdah: the disk is full; free some space\n");
  }

  @Test
  void unexpectedFailureShowsItsStackAndExitsWithOne() {
    assertThat(runFailing(() -> new IllegalStateException("bug"))).isOne();
    assertThat(err.toString())
        .contains("IllegalStateException: bug", "\tat " + getClass().getName());
  }

  private int run(String... arguments) {
    return execute(Main.program().commandLineFor(arguments), arguments);
  }

  private int runFailing(Callable<RuntimeException> failure) {
    return execute(Main.program().commandLine().addSubcommand(new Failing(failure)), "failing");
  }

  private int execute(CommandLine line, String... arguments) {
    return line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Command(name = "failing")
  private record Failing(Callable<RuntimeException> failure) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
      throw failure.call();
    }
  }
}

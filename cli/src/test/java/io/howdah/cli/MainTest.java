package io.howdah.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.HowdahException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

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
    assertThat(out.toString()).contains("Usage: howdah", "bench", "test");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void versionNamesTheProgramAndTheJvm() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("howdah ").contains("JVM " + Runtime.version());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--no-such-option", "no-such-command", "bench", "bench nonsense"})
  void wrongUsageExitsWithTwoAndSaysSoOnStandardError(String arguments) {
    assertThat(run(arguments.isEmpty() ? new String[0] : arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("howdah");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void everyCommandHasHelp() {
    everyCommandHasHelp(Main.commandLine(), List.of());
  }

  @Test
  void aCommandIsMadeAloneAndHasTheNameThatItSays() {
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              Object made = command.getCommandSpec().userObject();
              assertThat(made.getClass().getAnnotation(Command.class).name()).isEqualTo(name);
              boolean needsAll = name.equals("help") || name.equals("completion");
              assertThat(Main.commandLineFor(new String[] {name, "x"}).getSubcommands())
                  .as(name)
                  .hasSize(needsAll ? Main.commandLine().getSubcommands().size() : 1)
                  .containsKey(name);
            });
    assertThat(Main.commandLineFor(new String[] {"--help"}).getSubcommands()).hasSizeGreaterThan(9);
  }

  /** Paragraphs are wrapped once, by picocli, and no name of a file is torn at its point. */
  @Test
  void theHelpOfEveryCommandHasOneForm() {
    List<String> wrong = new ArrayList<>();
    findWrongHelp(Main.commandLine(), wrong);
    assertThat(wrong).isEmpty();
  }

  private static void findWrongHelp(CommandLine command, List<String> wrong) {
    String name = command.getCommandSpec().qualifiedName();
    String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
    if (!usage.startsWith("Usage: ")) {
      wrong.add(name + " begins with " + usage.lines().findFirst().orElse(""));
    }
    usage
        .lines()
        .filter(line -> line.matches(".*(=<| \\.$).*"))
        .forEach(line -> wrong.add(name + ": " + line));
    List<String[]> texts = new ArrayList<>();
    texts.add(command.getCommandSpec().usageMessage().description());
    command.getCommandSpec().options().forEach(option -> texts.add(option.description()));
    for (String[] paragraphs : texts) {
      for (String paragraph : paragraphs) {
        if (!paragraph.startsWith(" ") && !paragraph.matches("(?s).*([.:)}]|%n)")) {
          wrong.add(name + " has a paragraph that ends in the middle: " + paragraph);
        }
      }
    }
    command.getSubcommands().values().stream()
        .filter(child -> !(child.getCommandSpec().userObject() instanceof HelpCommand)) // picocli's
        .forEach(child -> findWrongHelp(child, wrong));
  }

  private void everyCommandHasHelp(CommandLine command, List<String> path) {
    command
        .getSubcommands()
        .forEach(
            (name, child) -> {
              if (name.equals("help")) {
                return;
              }
              List<String> arguments = new ArrayList<>(path);
              arguments.add(name);
              everyCommandHasHelp(child, arguments);
              arguments.add("--help");
              assertThat(run(arguments.toArray(String[]::new))).as("%s", arguments).isZero();
            });
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
    return execute(Main.commandLineFor(arguments), arguments);
  }

  private int runFailing(Callable<RuntimeException> failure) {
    return execute(Main.commandLine().addSubcommand(new Failing(failure)), "failing");
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

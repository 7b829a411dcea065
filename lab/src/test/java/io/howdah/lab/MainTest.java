package io.howdah.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.cli.json.JsonOption;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** All commands of a checkout: those for stores and servers, and those for engineers. */
final class MainTest {

  /** Commands without the option --json, and why. */
  private static final Map<String, String> WITHOUT_JSON =
      Map.of(
          "completion", "prints a script",
          "help", "prints the help",
          "serve", "runs until it is stopped; --log-format json is for its log",
          "shell", "its commands have the option");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void helpShowsBothGroups() {
    assertThat(run("--help")).isZero();
    String help = out.toString();
    int stores = help.indexOf("Commands for stores and servers:\n  ls ");
    int engineers = help.indexOf("Commands for engineers:\n  demo ");
    assertThat(stores).as(help).isPositive();
    assertThat(engineers).as(help).isGreaterThan(stores);
    assertThat(help.indexOf("\n  serve ")).isBetween(stores, engineers);
    assertThat(help.indexOf("\n  bench ")).isGreaterThan(engineers);
  }

  @Test
  void completionCoversBothGroups() {
    assertThat(run("completion", "bash")).isZero();
    assertThat(out.toString())
        .contains("_picocli_howdah_get()", "_picocli_howdah_bench_vacation()");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bench", "bench nonsense", "test", "sim"})
  void wrongUsageExitsWithTwoAndSaysSoOnStandardError(String arguments) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("howdah");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void everyCommandHasTheJsonOptionOrAReason() {
    Map<String, Boolean> found = new TreeMap<>();
    findJson("", Main.program().commandLine(), found);
    assertThat(found).hasSizeGreaterThan(35);
    found.forEach(
        (name, has) -> assertThat(has).as(name).isNotEqualTo(WITHOUT_JSON.containsKey(name)));
    assertThat(found.keySet()).containsAll(WITHOUT_JSON.keySet());
  }

  private static void findJson(String group, CommandLine command, Map<String, Boolean> found) {
    command
        .getSubcommands()
        .forEach(
            (name, child) -> {
              if (child.getSubcommands().isEmpty()) {
                boolean has = JsonOption.of(child.getCommandSpec()) != null;
                assertThat(child.getCommandSpec().findOption("--json") != null)
                    .as(group + name)
                    .isEqualTo(has);
                found.put(group + name, has);
              } else {
                findJson(group + name + " ", child, found);
              }
            });
  }

  @Test
  void everyCommandHasHelp() {
    everyCommandHasHelp(Main.program().commandLine(), List.of());
  }

  @Test
  void aCommandIsMadeAloneAndHasTheNameThatItSays() {
    Main.program()
        .commandLine()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              Object made = command.getCommandSpec().userObject();
              assertThat(made.getClass().getAnnotation(Command.class).name()).isEqualTo(name);
              boolean needsAll = name.equals("help") || name.equals("completion");
              assertThat(Main.program().commandLineFor(new String[] {name, "x"}).getSubcommands())
                  .as(name)
                  .hasSize(needsAll ? Main.program().commandLine().getSubcommands().size() : 1)
                  .containsKey(name);
            });
    assertThat(Main.program().commandLineFor(new String[] {"--help"}).getSubcommands())
        .hasSizeGreaterThan(9);
  }

  /** Paragraphs are wrapped once, by picocli, and no name of a file is torn at its point. */
  @Test
  void theHelpOfEveryCommandHasOneForm() {
    List<String> wrong = new ArrayList<>();
    findWrongHelp(Main.program().commandLine(), wrong);
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

  private int run(String... arguments) {
    return Main.program()
        .commandLineFor(arguments)
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}

package io.howdah.cli.shell;

import io.howdah.Store;
import io.howdah.cli.command.SharedStore;
import io.howdah.cli.command.StoreFolder;
import io.howdah.cli.entries.DropCommand;
import io.howdah.cli.entries.GetCommand;
import io.howdah.cli.entries.InspectCommand;
import io.howdah.cli.entries.ListCommand;
import io.howdah.cli.entries.PutCommand;
import io.howdah.cli.entries.RemoveCommand;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.store.CheckpointCommand;
import io.howdah.cli.tables.DumpCommand;
import io.howdah.cli.tables.LoadCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Runs lines as commands on an open store. For one thread. */
final class ShellLines {

  private static final Set<String> EXIT = Set.of("exit", "quit");
  private static final String HELP = "help";

  /** The commands of the shell. */
  @Command(
      name = "",
      description = "Commands, without the operand STORE; exit ends the shell.",
      synopsisSubcommandLabel = "COMMAND",
      subcommands = {
        ListCommand.class,
        GetCommand.class,
        PutCommand.class,
        RemoveCommand.class,
        DropCommand.class,
        CheckpointCommand.class,
        LoadCommand.class,
        DumpCommand.class,
        InspectCommand.class,
        HelpCommand.class
      })
  private static final class Commands {}

  private final Store store;
  private final Path folder;
  private final CommandLine commands;
  private final PrintWriter err;
  private String place = "";

  /**
   * Creates one.
   *
   * @param parent whose output, errors and handler of failures the commands get
   */
  ShellLines(Store store, Path folder, CommandLine parent) {
    this.store = store;
    this.folder = folder;
    this.err = parent.getErr();
    this.commands =
        new CommandLine(new Commands(), new SharedStore(store))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExpandAtFiles(false) // a value may begin with @
            .registerConverter(Path.class, StoreFolder::path)
            .setExecutionStrategy(JsonOption::execute)
            .setOut(parent.getOut())
            .setErr(err)
            .setColorScheme(parent.getColorScheme())
            .setParameterExceptionHandler(
                (wrong, _) -> {
                  fail(String.valueOf(wrong.getMessage()));
                  err.println("Try 'help" + " " + wrong.getCommandLine().getCommandName() + "'.");
                  err.flush();
                  return CommandLine.ExitCode.USAGE;
                })
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  err.print(place);
                  err.flush();
                  return parent
                      .getExecutionExceptionHandler()
                      .handleExecutionException(failure, line, parsed);
                });
    commands.getSubcommands().values().forEach(each -> hideStore(each.getCommandSpec()));
  }

  /**
   * The operand is there, since the commands are those of the program, and nobody has to see it.
   */
  private static void hideStore(CommandSpec command) {
    for (PositionalParamSpec operand : List.copyOf(command.positionalParameters())) {
      if (operand.paramLabel().equals("STORE")) {
        command.remove(operand);
        command.addPositional(PositionalParamSpec.builder(operand).hidden(true).build());
      }
    }
  }

  /** Returns the names of all commands, sorted. */
  SortedSet<String> commandNames() {
    SortedSet<String> names = new TreeSet<>(commands.getSubcommands().keySet());
    names.addAll(EXIT);
    return names;
  }

  /** Returns the names of the store's structures, sorted. */
  SortedSet<String> structureNames() {
    return new TreeSet<>(store.read(store.admin()::collections).keySet());
  }

  /** Returns whether a line ends the shell. */
  static boolean isExit(String line) {
    return EXIT.contains(line.strip());
  }

  /** Runs a line, and returns the exit code of its command; 0 for an empty line or a comment. */
  int run(String line) {
    if (line.isBlank() || line.stripLeading().startsWith("#")) {
      return CommandLine.ExitCode.OK;
    }
    List<String> words;
    try {
      words = new ArrayList<>(Words.of(line));
    } catch (IllegalArgumentException e) {
      fail(String.valueOf(e.getMessage()));
      return CommandLine.ExitCode.USAGE;
    }
    boolean isKnown = commands.getSubcommands().containsKey(words.getFirst());
    if (!isKnown) {
      fail("there is no command \"" + words.getFirst() + "\", but " + commandNames());
      return CommandLine.ExitCode.USAGE;
    }
    if (!words.getFirst().equals(HELP)) {
      words.add(1, folder.toString());
    }
    return commands.execute(words.toArray(String[]::new));
  }

  /** Runs all lines up to the first that fails, and returns its exit code, or 0. */
  int runAll(ScriptLines lines) throws IOException {
    int number = 0;
    while (true) {
      place = "line " + ++number + ": ";
      String line;
      try {
        line = lines.next();
      } catch (CharacterCodingException _) {
        fail("the line is not UTF-8; no command of it, nor of the lines behind it, was run");
        return CommandLine.ExitCode.USAGE;
      }
      if (line == null) {
        break;
      }
      if (isExit(line)) {
        break;
      }
      int exit = run(line);
      if (exit != CommandLine.ExitCode.OK) {
        return exit;
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private void fail(String message) {
    err.println(place + "howdah: " + message);
    err.flush();
  }

  @Override
  public String toString() {
    return "the shell of " + folder;
  }
}

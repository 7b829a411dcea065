package io.howdah.cli;

import io.howdah.cli.command.CommandGroup;
import io.howdah.cli.command.DecodedArguments;
import io.howdah.cli.command.StoreFolder;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.serve.ServeCommand;
import io.howdah.cli.terminal.OutputException;
import io.howdah.cli.terminal.StandardOutput;
import io.howdah.core.HowdahException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * A program of several commands: parses the arguments, runs one command and reports how it ended.
 *
 * <p>Only the command that is asked for is made: the options of all take a second to look up.
 *
 * <p>Exit codes: {@value CommandLine.ExitCode#OK} done, {@value CommandLine.ExitCode#SOFTWARE}
 * failed, a violation found or the standard output not written, {@value CommandLine.ExitCode#USAGE}
 * wrong usage.
 */
public final class Program {

  /** Commands that show all others. */
  private static final Set<String> NEED_ALL = Set.of("completion", "help");

  private final Supplier<? extends CommandGroup> root;
  private final List<Section> sections;

  /**
   * Creates a program.
   *
   * @param root makes the command that holds all others
   * @param sections the other commands; a name occurs once
   */
  public Program(Supplier<? extends CommandGroup> root, List<Section> sections) {
    this.root = root;
    this.sections = List.copyOf(sections);
  }

  /**
   * Commands that the help shows together.
   *
   * @param heading the line above them in the help
   * @param commands by name, in the order of the help
   */
  public record Section(String heading, Map<String, Class<?>> commands) {}

  /**
   * Runs one command and ends the JVM with its exit code.
   *
   * @param program returns the program; not called for {@code serve}, which then starts without the
   *     classes of the other commands
   */
  public static void start(Supplier<Program> program, String[] arguments)
      throws InterruptedException {
    // The JVM's own has the locale's charset, which may be without the characters of a message.
    System.setErr(
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
    String problem = DecodedArguments.problem(arguments);
    if (problem != null) {
      System.err.println("howdah: " + problem);
      System.exit(CommandLine.ExitCode.USAGE);
    }
    Integer served = ServeCommand.serveAtOnce(arguments);
    System.exit(served != null ? served : program.get().run(arguments));
  }

  private int run(String[] arguments) {
    CommandLine line = commandLineFor(arguments);
    if (arguments.length > 0 && arguments[0].equals("serve")) {
      return line.execute(arguments); // a server goes on when nobody reads its messages
    }
    StandardOutput out = new StandardOutput();
    int exitCode =
        line.setOut(out.writer())
            .setExecutionExceptionHandler(
                (failure, command, parsed) ->
                    failure instanceof OutputException
                        ? CommandLine.ExitCode.SOFTWARE // its reason is told at the end
                        : report(failure, command, parsed))
            .execute(arguments);
    return out.finish(exitCode, line);
  }

  /** Returns all commands, writing to standard output and standard error. */
  public CommandLine commandLine() {
    return withCommands(commands());
  }

  /** Returns the commands that some arguments need. */
  public CommandLine commandLineFor(String[] arguments) {
    String name = arguments.length == 0 ? "" : arguments[0];
    Map<String, Class<?>> all = commands();
    Class<?> command = NEED_ALL.contains(name) ? null : all.get(name);
    return withCommands(command == null ? all : Map.of(name, command));
  }

  private Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    sections.forEach(section -> commands.putAll(section.commands()));
    return commands;
  }

  private CommandLine withCommands(Map<String, Class<?>> commands) {
    CommandLine line = new CommandLine(root.get());
    commands.forEach(line::addSubcommand);
    line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false) // a value may begin with @
        .registerConverter(Path.class, StoreFolder::path)
        .setExecutionStrategy(JsonOption::execute)
        .setParameterExceptionHandler(Program::refuse)
        .setExecutionExceptionHandler(Program::report);
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, _ -> "");
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, this::commandList);
    return line;
  }

  private String commandList(Help help) {
    StringBuilder text = new StringBuilder();
    for (Section section : sections) {
      Map<String, Help> shown = new LinkedHashMap<>(help.subcommands());
      shown.keySet().retainAll(section.commands().keySet());
      text.append(help.createHeading("%n" + section.heading() + "%n"));
      text.append(help.commandList(shown));
    }
    return text.toString();
  }

  /**
   * Says what is wrong; the whole help would hide it, unless a choice among commands is missing.
   */
  private static int refuse(ParameterException wrong, String[] arguments) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(command.getColorScheme().errorText("howdah: " + wrong.getMessage()));
    UnmatchedArgumentException.printSuggestions(wrong, err);
    if (command.getSubcommands().isEmpty()) {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    } else {
      command.usage(err, command.getColorScheme());
    }
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  /**
   * What Howdah throws on purpose explains itself; anything else is a bug and shows where it is.
   */
  private static int report(Exception failure, CommandLine command, Object parsed) {
    PrintWriter err = command.getErr();
    if (failure instanceof HowdahException) {
      err.println(command.getColorScheme().errorText("howdah: " + failure.getMessage()));
    } else {
      err.println(command.getColorScheme().stackTraceText(failure));
    }
    err.flush();
    return CommandLine.ExitCode.SOFTWARE;
  }
}

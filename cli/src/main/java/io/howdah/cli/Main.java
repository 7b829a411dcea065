package io.howdah.cli;

import io.howdah.cli.bench.BenchCommand;
import io.howdah.cli.command.CommandGroup;
import io.howdah.cli.command.CompletionCommand;
import io.howdah.cli.command.DecodedArguments;
import io.howdah.cli.command.HowdahVersion;
import io.howdah.cli.command.StoreFolder;
import io.howdah.cli.data.CheckpointCommand;
import io.howdah.cli.data.DropCommand;
import io.howdah.cli.data.DumpCommand;
import io.howdah.cli.data.GetCommand;
import io.howdah.cli.data.InspectCommand;
import io.howdah.cli.data.ListCommand;
import io.howdah.cli.data.LoadCommand;
import io.howdah.cli.data.PutCommand;
import io.howdah.cli.data.RemoveCommand;
import io.howdah.cli.demo.DemoCommand;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.serve.ServeCommand;
import io.howdah.cli.shell.ShellCommand;
import io.howdah.cli.sim.SimCommand;
import io.howdah.cli.store.AcceptRollbackCommand;
import io.howdah.cli.store.BackupCommand;
import io.howdah.cli.store.CompactCommand;
import io.howdah.cli.store.ExportCommand;
import io.howdah.cli.store.ImportCommand;
import io.howdah.cli.store.RestoreCommand;
import io.howdah.cli.store.StatCommand;
import io.howdah.cli.store.VerifyCommand;
import io.howdah.cli.terminal.OutputException;
import io.howdah.cli.terminal.StandardOutput;
import io.howdah.cli.test.TestCommand;
import io.howdah.core.HowdahException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code howdah} command. A new command is a class in the package of its group, named in the
 * {@code subcommands} of its group's class, or in {@link #commands} if it is a group of its own.
 *
 * <p>Only the command that is asked for is made: the options of all take a second to look up.
 *
 * <p>Exit codes: {@value CommandLine.ExitCode#OK} done, {@value CommandLine.ExitCode#SOFTWARE}
 * failed, a violation found or the standard output not written, {@value CommandLine.ExitCode#USAGE}
 * wrong usage.
 */
@Command(
    name = "howdah",
    description = "A persistent object store for the JVM: demo, data, measurements and tests.",
    versionProvider = HowdahVersion.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main extends CommandGroup {

  /** They show all commands. */
  private static final Set<String> NEED_ALL = Set.of("completion", "help");

  private Main() {}

  /**
   * Returns the commands by name, in the order of the help. A method, not a constant: the server
   * starts without the classes of the other commands.
   */
  private static Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("demo", DemoCommand.class);
    commands.put("ls", ListCommand.class);
    commands.put("get", GetCommand.class);
    commands.put("put", PutCommand.class);
    commands.put("rm", RemoveCommand.class);
    commands.put("drop", DropCommand.class);
    commands.put("shell", ShellCommand.class);
    commands.put("load", LoadCommand.class);
    commands.put("dump", DumpCommand.class);
    commands.put("inspect", InspectCommand.class);
    commands.put("serve", ServeCommand.class);
    commands.put("bench", BenchCommand.class);
    commands.put("sim", SimCommand.class);
    commands.put("test", TestCommand.class);
    commands.put("backup", BackupCommand.class);
    commands.put("restore", RestoreCommand.class);
    commands.put("export", ExportCommand.class);
    commands.put("import", ImportCommand.class);
    commands.put("verify", VerifyCommand.class);
    commands.put("stat", StatCommand.class);
    commands.put("checkpoint", CheckpointCommand.class);
    commands.put("compact", CompactCommand.class);
    commands.put("accept-rollback", AcceptRollbackCommand.class);
    commands.put("completion", CompletionCommand.class);
    commands.put("help", HelpCommand.class);
    return commands;
  }

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] args) throws InterruptedException {
    // The JVM's own has the locale's charset, which may be without the characters of a message.
    System.setErr(
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
    String problem = DecodedArguments.problem(args);
    if (problem != null) {
      System.err.println("howdah: " + problem);
      System.exit(CommandLine.ExitCode.USAGE);
    }
    Integer served = ServeCommand.serveAtOnce(args);
    System.exit(served != null ? served : run(args));
  }

  private static int run(String[] arguments) {
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

  /** Returns the whole command tree, writing to standard output and standard error. */
  static CommandLine commandLine() {
    return withCommands(commands());
  }

  /** Returns as much of the command tree as some arguments need. */
  static CommandLine commandLineFor(String[] arguments) {
    String name = arguments.length == 0 ? "" : arguments[0];
    Class<?> command = NEED_ALL.contains(name) ? null : commands().get(name);
    return withCommands(command == null ? commands() : Map.of(name, command));
  }

  private static CommandLine withCommands(Map<String, Class<?>> commands) {
    CommandLine line = new CommandLine(new Main());
    commands.forEach(line::addSubcommand);
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false) // a value may begin with @
        .registerConverter(Path.class, StoreFolder::path)
        .setExecutionStrategy(JsonOption::execute)
        .setParameterExceptionHandler(Main::refuse)
        .setExecutionExceptionHandler(Main::report);
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

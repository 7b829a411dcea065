package io.howdah.cli;

import io.howdah.cli.Program.Section;
import io.howdah.cli.command.CommandGroup;
import io.howdah.cli.command.CompletionCommand;
import io.howdah.cli.command.HowdahVersion;
import io.howdah.cli.entries.DropCommand;
import io.howdah.cli.entries.GetCommand;
import io.howdah.cli.entries.InspectCommand;
import io.howdah.cli.entries.ListCommand;
import io.howdah.cli.entries.PutCommand;
import io.howdah.cli.entries.RemoveCommand;
import io.howdah.cli.serve.ServeCommand;
import io.howdah.cli.shell.ShellCommand;
import io.howdah.cli.store.AcceptRollbackCommand;
import io.howdah.cli.store.ArchiveCommand;
import io.howdah.cli.store.BackupCommand;
import io.howdah.cli.store.CheckSchemaCommand;
import io.howdah.cli.store.CheckpointCommand;
import io.howdah.cli.store.CompactCommand;
import io.howdah.cli.store.ExportCommand;
import io.howdah.cli.store.ImportCommand;
import io.howdah.cli.store.RestoreCommand;
import io.howdah.cli.store.StatCommand;
import io.howdah.cli.store.VerifyCommand;
import io.howdah.cli.store.VolatileCommand;
import io.howdah.cli.tables.DumpCommand;
import io.howdah.cli.tables.LoadCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The {@code howdah} command for stores and servers. A new command is a class in the package of its
 * subject, named in {@link #commands}.
 */
@Command(
    name = "howdah",
    description = "A persistent object store for the JVM: commands for stores and servers.",
    versionProvider = HowdahVersion.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main extends CommandGroup {

  private Main() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] args) throws InterruptedException {
    Program.start(Main::program, args);
  }

  /** Returns the program with the commands for stores and servers alone. */
  static Program program() {
    return new Program(Main::new, List.of(new Section("Commands:", commands())));
  }

  /** Returns the commands for stores and servers by name, in the order of the help. */
  public static Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
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
    commands.put("backup", BackupCommand.class);
    commands.put("restore", RestoreCommand.class);
    commands.put("archive", ArchiveCommand.class);
    commands.put("export", ExportCommand.class);
    commands.put("import", ImportCommand.class);
    commands.put("verify", VerifyCommand.class);
    commands.put("check-schema", CheckSchemaCommand.class);
    commands.put("stat", StatCommand.class);
    commands.put("checkpoint", CheckpointCommand.class);
    commands.put("compact", CompactCommand.class);
    commands.put("accept-rollback", AcceptRollbackCommand.class);
    commands.put("volatile", VolatileCommand.class);
    commands.put("completion", CompletionCommand.class);
    commands.put("help", HelpCommand.class);
    return commands;
  }
}

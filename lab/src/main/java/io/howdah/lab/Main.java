package io.howdah.lab;

import io.howdah.cli.Program;
import io.howdah.cli.Program.Section;
import io.howdah.cli.command.CommandGroup;
import io.howdah.cli.command.HowdahVersion;
import io.howdah.lab.bench.BenchCommand;
import io.howdah.lab.demo.DemoCommand;
import io.howdah.lab.sim.SimCommand;
import io.howdah.lab.test.TestCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * The {@code howdah} command of a checkout: all commands for stores and servers, and those for
 * engineers. A new command for engineers is a class in the package of its group, named in the
 * {@code subcommands} of its group's class, or in {@link #commands} if it is a group of its own.
 */
@Command(
    name = "howdah",
    description = "A persistent object store for the JVM: demo, data, measurements and tests.",
    versionProvider = HowdahVersion.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main extends CommandGroup {

  private Main() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] args) throws InterruptedException {
    Program.start(Main::program, args);
  }

  static Program program() {
    return new Program(
        Main::new,
        List.of(
            new Section("Commands for stores and servers:", io.howdah.cli.Main.commands()),
            new Section("Commands for engineers:", commands())));
  }

  private static Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("demo", DemoCommand.class);
    commands.put("bench", BenchCommand.class);
    commands.put("test", TestCommand.class);
    commands.put("sim", SimCommand.class);
    return commands;
  }
}

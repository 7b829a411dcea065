package io.howdah.replica.command;

import io.howdah.cli.Program;
import io.howdah.cli.Program.Section;
import io.howdah.cli.command.CommandGroup;
import io.howdah.cli.command.HowdahVersion;
import io.howdah.replica.command.lab.BenchCommand;
import io.howdah.replica.command.lab.DemoCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * What engineers do with replica groups: {@code howdah demo replica} and {@code howdah bench
 * replica}. A program of its own, so that the command of a checkout has no consensus engine on its
 * class path.
 */
@Command(
    name = "howdah",
    description = "Replica groups: a demo and measurements (an experiment: docs/replica.md).",
    versionProvider = HowdahVersion.class,
    synopsisSubcommandLabel = "COMMAND")
public final class EngineersMain extends CommandGroup {

  private EngineersMain() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] arguments) throws InterruptedException {
    Program.start(EngineersMain::program, arguments);
  }

  static Program program() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("demo", DemoGroup.class);
    commands.put("bench", BenchGroup.class);
    return new Program(
        EngineersMain::new, List.of(new Section("Commands for engineers:", commands)));
  }

  /** {@code howdah demo}, of which another program has the rest. */
  @Command(name = "demo", description = "Demos of replica groups.", subcommands = DemoCommand.class)
  static final class DemoGroup extends CommandGroup {}

  /** {@code howdah bench}, of which another program has the rest. */
  @Command(
      name = "bench",
      description = "Measurements of replica groups.",
      subcommands = BenchCommand.class)
  static final class BenchGroup extends CommandGroup {}
}

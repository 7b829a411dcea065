package io.howdah.lab.sim;

import io.howdah.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code howdah sim}: the simulator of non-volatile memory. */
@Command(
    name = "sim",
    description = "Reproduces papers on non-volatile memory with a simulator.",
    subcommands = {
      AllCommand.class,
      CrashCommand.class,
      LitmusCommand.class,
      LocCommand.class,
      PersistencyCommand.class,
      StoreCommand.class,
      ThyNvmCommand.class
    })
public final class SimCommand extends CommandGroup {

  /** Creates it, for the command line. */
  public SimCommand() {}
}

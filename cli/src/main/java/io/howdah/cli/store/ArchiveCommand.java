package io.howdah.cli.store;

import io.howdah.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code howdah archive}. */
@Command(
    name = "archive",
    description =
        "Archives: continuous copies of open stores, as of any moment of which a store can be"
            + " restored by howdah restore.%n",
    subcommands = {
      ArchiveListCommand.class,
      ArchiveVerifyCommand.class,
      ArchiveDrillCommand.class,
      ArchiveStartCommand.class,
      ArchiveStopCommand.class,
      ArchiveStatusCommand.class
    })
public final class ArchiveCommand extends CommandGroup {

  /** Creates it, for the command line. */
  public ArchiveCommand() {}
}

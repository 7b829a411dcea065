package io.howdah.cli.store;

import io.howdah.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code howdah volatile}: what stores have in memory that outlives their processes. */
@Command(
    name = "volatile",
    description =
        "Shows and removes what stores have left in /dev/shm, which is memory: the rings of stores"
            + " that are open or were killed, and memory that outlives its process. Without a store's"
            + " rings its next opening has what was durable, and not the ASYNC commits that were not"
            + " forced yet; without its memory it loads the image.%n",
    subcommands = {VolatileListCommand.class, VolatileRemoveCommand.class})
public final class VolatileCommand extends CommandGroup {

  /** Creates it, for the command line. */
  public VolatileCommand() {}
}

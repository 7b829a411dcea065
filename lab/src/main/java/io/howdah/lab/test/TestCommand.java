package io.howdah.lab.test;

import io.howdah.cli.command.CommandGroup;
import io.howdah.lab.test.campaign.NightlyCommand;
import io.howdah.lab.test.campaign.ReleaseCommand;
import picocli.CommandLine.Command;

/** {@code howdah test}: campaigns that try to make the store lose data. */
@Command(
    name = "test",
    description = "Tries to make the store lose data, and says how to replay what it finds.",
    subcommands = {
      ExploreCommand.class,
      FaultsCommand.class,
      ShortageCommand.class,
      HistoriesCommand.class,
      FuzzCommand.class,
      KillCommand.class,
      ServeKillCommand.class,
      CacheKillCommand.class,
      PowerCommand.class,
      SoakCommand.class,
      NightlyCommand.class,
      ReleaseCommand.class,
      PlantedCommand.class,
      MutateCommand.class,
      UnitsCommand.class,
      MemcachedSuiteCommand.class
    })
public final class TestCommand extends CommandGroup {

  /** Creates it, for the command line. */
  public TestCommand() {}
}

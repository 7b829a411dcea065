package io.howdah.lab.bench;

import io.howdah.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code howdah bench}: measurements, each beside its raw baseline. */
@Command(
    name = "bench",
    description = "Measures the engine on this machine, each figure beside its raw baseline.",
    subcommands = {
      W6Command.class,
      CommitModesCommand.class,
      RecoveryCommand.class,
      CheckpointCommand.class,
      ArchiveCommand.class,
      ObjectsCommand.class,
      SpaceCommand.class,
      CacheCommand.class,
      FeedCommand.class,
      ConflictsCommand.class,
      TurnsCommand.class,
      OpeningCommand.class,
      InliningCommand.class,
      VacationCommand.class,
      ScalingCommand.class,
      TpcbCommand.class,
      GraphCommand.class,
      AblationsCommand.class,
      PeersCommand.class,
      YcsbCommand.class,
      DrawCommand.class
    })
public final class BenchCommand extends CommandGroup {

  /** Creates it, for the command line. */
  public BenchCommand() {}
}

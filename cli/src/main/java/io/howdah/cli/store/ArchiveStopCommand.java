package io.howdah.cli.store;

import io.howdah.AdminClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah archive stop}. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description =
        "Makes the process that has a store open copy to the archive what is durable, and end the archive.%n")
public final class ArchiveStopCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public ArchiveStopCommand() {}

  @Override
  public Integer call() throws IOException {
    boolean isStopped = AdminClient.stopArchive(existing(store));
    return report(
        List.of(isStopped ? "the store is not archived any more" : "the store had no archive"),
        Map.of("stopped", isStopped));
  }
}

package io.howdah.cli.store;

import io.howdah.StoreBackups;
import io.howdah.cli.command.StoreFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah accept-rollback}. */
@Command(
    name = "accept-rollback",
    mixinStandardHelpOptions = true,
    description =
        "Accepts that a store's files were put back to an earlier state, as by rolling back a file"
            + " system's snapshot: gives up the rings of the later state, which verify takes for"
            + " proof of damage. No process may have the store open.%n")
public final class AcceptRollbackCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public AcceptRollbackCommand() {}

  @Override
  public Integer call() throws IOException {
    StoreFolder.requireNoBackup(existing(store));
    long lsn = StoreBackups.acceptRollback(store);
    return report(List.of("the store opens as of LSN " + lsn), Map.of("lsn", lsn));
  }
}

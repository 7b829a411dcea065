package io.howdah.cli.store;

import io.howdah.AdminClient;
import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.core.storage.StoreLockedException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah backup}. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description =
        "Copies a store to another directory. A store that another process has open is asked to do"
            + " it itself, while it goes on; for that it was opened with an admin socket.%n")
public final class BackupCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  @Parameters(paramLabel = "TARGET", description = "A directory, absent or empty.")
  private Path target;

  /** Creates it, for the command line. */
  public BackupCommand() {}

  @Override
  public Integer call() {
    existing(store);
    try {
      StoreBackups.check(store);
    } catch (StoreLockedException e) {
      line(
          "backed up as of LSN "
              + AdminClient.backup(store, target)
              + ", by the process that has it");
      return 0;
    }
    try (Store opened = Store.open(store)) {
      line("backed up as of LSN " + opened.admin().backup(target).lsn());
    }
    return 0;
  }
}

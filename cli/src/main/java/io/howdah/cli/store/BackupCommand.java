package io.howdah.cli.store;

import io.howdah.AdminClient;
import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.cli.command.StoreFolder;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah backup}. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description =
        "Copies a store to another directory. If another process has the store open, that process does this beside its other work; it must have opened the store with an admin socket. The source"
            + " comes first, then the target, as with cp.%n")
public final class BackupCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  @Parameters(paramLabel = "TARGET", description = "A directory, absent or empty.")
  private Path target;

  /** Creates it, for the command line. */
  public BackupCommand() {}

  @Override
  public Integer call() throws IOException {
    requireOutside(existing(store), target);
    StoreFolder.requireNoBackup(store); // a copy would open it, which ends its range of LSNs
    try {
      StoreBackups.check(store);
    } catch (StoreLockedException e) {
      return backedUp(ask(e, () -> AdminClient.backup(store, target)), true);
    }
    try (Store opened = Store.open(store)) {
      return backedUp(opened.admin().backup(target).lsn(), false);
    }
  }

  private int backedUp(long lsn, boolean isByOwner) throws IOException {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("lsn", lsn);
    result.put("byOpenStore", isByOwner);
    return report(
        List.of("backed up as of LSN " + lsn + (isByOwner ? ", by the process that has it" : "")),
        result);
  }
}

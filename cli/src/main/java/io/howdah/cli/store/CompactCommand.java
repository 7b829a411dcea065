package io.howdah.cli.store;

import io.howdah.StoreBackups;
import io.howdah.cli.command.StoreFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah compact}. */
@Command(
    name = "compact",
    mixinStandardHelpOptions = true,
    description =
        "Frees the disk space that the files of a store occupy and do not need: log that is in the image, and"
            + " pages of the image that hold no data, or held data that was removed. No process may have the store open.%n")
public final class CompactCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public CompactCommand() {}

  @Override
  public Integer call() throws IOException {
    StoreFolder.requireNoBackup(existing(store));
    StoreBackups.compact(store);
    return report(List.of("compacted"), Map.of("done", true));
  }
}

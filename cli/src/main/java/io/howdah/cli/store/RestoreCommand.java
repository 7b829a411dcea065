package io.howdah.cli.store;

import io.howdah.StoreBackups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah restore}. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    description =
        "Makes a store of a backup, which stays as it is. The source comes first, then the target,"
            + " as with cp.%n")
public final class RestoreCommand extends StoreCommand {

  @Parameters(paramLabel = "BACKUP", description = "The backup, or a store that nobody has open.")
  private Path backup;

  @Parameters(paramLabel = "TARGET", description = "A directory, absent or empty.")
  private Path target;

  @Option(
      names = "--lsn",
      paramLabel = "N",
      description = "Leave out what was committed after it; howdah verify tells the range.")
  private @Nullable Long lsn;

  /** Creates it, for the command line. */
  public RestoreCommand() {}

  @Override
  public Integer call() throws IOException {
    requireOutside(existing(backup), target);
    OptionalLong limit = lsn == null ? OptionalLong.empty() : OptionalLong.of(lsn);
    try {
      long restored = StoreBackups.restore(backup, target, limit);
      return report(List.of("restored as of LSN " + restored), Map.of("lsn", restored));
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage())); // names the range of LSNs
    }
  }
}

package io.howdah.cli.store;

import io.howdah.StoreArchives;
import io.howdah.archive.Archive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah archive drill}. */
@Command(
    name = "drill",
    mixinStandardHelpOptions = true,
    description =
        "Restores the newest moment of an archive to a directory of its own, verifies the store"
            + " there, opens it, removes it, and tells how long the restore took.%n")
public final class ArchiveDrillCommand extends StoreCommand {

  @Parameters(paramLabel = "ARCHIVE", description = "The archive's directory.")
  private Path archive;

  @Option(
      names = "--scratch",
      paramLabel = "DIR",
      description = "Where to restore to: absent or empty. Default: a new temporary directory.")
  private @Nullable Path scratch;

  /** Creates it, for the command line. */
  public ArchiveDrillCommand() {}

  @Override
  public Integer call() throws IOException {
    Archive source = Archive.in(existing(archive));
    StoreArchives.Drill drill =
        scratch == null ? StoreArchives.drill(source) : StoreArchives.drill(source, scratch);
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("lsn", drill.restored().lsn());
    result.put("time", drill.restored().time().toString());
    result.put("restoreMillis", drill.took().toMillis());
    return report(
        List.of(
            "restored as of LSN "
                + drill.restored().lsn()
                + ", "
                + drill.restored().time()
                + ", verified and opened; the restore took "
                + drill.took().toMillis()
                + " ms"),
        result);
  }
}

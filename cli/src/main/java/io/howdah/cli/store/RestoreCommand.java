package io.howdah.cli.store;

import io.howdah.StoreArchives;
import io.howdah.StoreBackups;
import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah restore}. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    description =
        "Makes a store of a backup or of an archive, which stay as they are. The source comes first,"
            + " then the target, as with cp.%n")
public final class RestoreCommand extends StoreCommand {

  @Parameters(
      paramLabel = "BACKUP",
      description =
          "The backup, a store that no process has open, or an archive: its directory or its address.")
  private String backup;

  @Parameters(paramLabel = "TARGET", description = "A directory, absent or empty.")
  private Path target;

  @Option(
      names = "--lsn",
      paramLabel = "N",
      description =
          "Leave out what was committed after it; howdah verify prints the range of a backup, howdah"
              + " archive ls those of an archive.")
  private @Nullable Long lsn;

  @Option(
      names = "--time",
      paramLabel = "T",
      description =
          "Of an archive: leave out what was committed after this time, such as"
              + " 2026-11-30T14:03:07Z.")
  private @Nullable String time;

  @Option(names = "--latest", description = "Of an archive: as of its newest moment, the default.")
  private boolean latest;

  @Mixin private ArchiveKeyOption key = new ArchiveKeyOption();

  /** Creates it, for the command line. */
  public RestoreCommand() {}

  @Override
  public Integer call() throws IOException {
    Archive archive = existingArchive(backup);
    Optional<Path> directory = archive.directory();
    directory.ifPresent(source -> requireOutside(source, target));
    if (directory.isEmpty() || StoreArchives.isArchive(archive)) {
      return restoreArchive(archive);
    }
    if (time != null || latest) {
      throw usage("--time and --latest are for archives, and " + backup + " is none");
    }
    OptionalLong limit = lsn == null ? OptionalLong.empty() : OptionalLong.of(lsn);
    try {
      long restored = StoreBackups.restore(directory.get(), target, limit);
      return report(List.of("restored as of LSN " + restored), Map.of("lsn", restored));
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage())); // names the range of LSNs
    }
  }

  private int restoreArchive(Archive archive) throws IOException {
    try {
      StoreArchives.Restored restored = StoreArchives.restore(key.apply(archive), target, moment());
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("lsn", restored.lsn());
      result.put("time", restored.time().toString());
      return report(
          List.of(
              "restored as of LSN "
                  + restored.lsn()
                  + ": all of it had been committed at "
                  + restored.time()),
          result);
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage())); // names the ranges
    }
  }

  private ArchiveMoment moment() {
    int chosen = (lsn != null ? 1 : 0) + (time != null ? 1 : 0) + (latest ? 1 : 0);
    if (chosen > 1) {
      throw usage("--lsn, --time and --latest exclude each other");
    }
    if (lsn != null) {
      return ArchiveMoment.atLsn(lsn);
    }
    String text = time;
    if (text == null) {
      return ArchiveMoment.latest();
    }
    try {
      return ArchiveMoment.atTime(Instant.parse(text));
    } catch (DateTimeParseException e) {
      throw usage("--time is a time such as 2026-11-30T14:03:07Z, not " + text);
    }
  }
}

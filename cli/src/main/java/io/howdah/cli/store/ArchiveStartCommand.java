package io.howdah.cli.store;

import io.howdah.AdminClient;
import io.howdah.archive.Archive;
import io.howdah.cli.command.ArchivePlace;
import io.howdah.cli.command.TimeToLive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah archive start}. */
@Command(
    name = "start",
    mixinStandardHelpOptions = true,
    description =
        "Makes the process that has a store open archive it, until the store is closed. That process must have opened the store with an admin socket.%n")
public final class ArchiveStartCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  @Parameters(
      paramLabel = "ARCHIVE",
      description = ArchivePlace.FORM + " Empty, or with the archive of this store.")
  private String archive;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      defaultValue = "1s",
      description =
          "How often what is durable is copied and forced, 10ms to 1h. Default: ${DEFAULT-VALUE}.")
  private String every;

  @Option(
      names = "--keep",
      paramLabel = "TIME",
      description =
          "How long the archive goes back, such as 7d; what no moment of this time needs is"
              + " removed. Default: all of it is kept.")
  private @Nullable String keep;

  @Option(names = "--compress", description = "Compress what is written, by Deflate.")
  private boolean compress;

  @Mixin private ArchiveKeyOption key = new ArchiveKeyOption();

  /** Creates it, for the command line. */
  public ArchiveStartCommand() {}

  @Override
  public Integer call() throws IOException {
    existing(store);
    Archive started;
    try {
      started = ArchivePlace.toWrite(archive, duration("--every", every)).withCompression(compress);
      if (keep != null) {
        started = started.withKeep(duration("--keep", keep));
      }
      started = key.apply(started);
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
    started.directory().ifPresent(directory -> requireOutside(store, directory));
    AdminClient.startArchive(store, started);
    return report(
        List.of("the store is archived in " + archive + ", every " + every),
        Map.of("started", true));
  }

  private Duration duration(String option, String text) {
    Duration duration = TimeToLive.parse(text);
    if (duration == null) {
      throw usage(option + " is a time such as 500ms, 1s or 7d, not " + text);
    }
    return duration;
  }
}

package io.howdah.cli.store;

import io.howdah.Store;
import io.howdah.StoreArchives;
import io.howdah.StoreBackups;
import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.command.ArchivePlace;
import io.howdah.core.HowdahException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah archive drill}. */
@Command(
    name = "drill",
    mixinStandardHelpOptions = true,
    description =
        "Restores the newest moment of an archive to a directory of its own, verifies the store"
            + " there, opens it, removes it, and prints how long the restore took.%n")
public final class ArchiveDrillCommand extends StoreCommand {

  @Parameters(paramLabel = "ARCHIVE", description = ArchivePlace.FORM)
  private String archive;

  @Option(
      names = "--scratch",
      paramLabel = "DIR",
      description = "Where to restore to: absent or empty. Default: a new temporary directory.")
  private @Nullable Path scratch;

  @Mixin private ArchiveKeyOption key = new ArchiveKeyOption();

  /** Creates it, for the command line. */
  public ArchiveDrillCommand() {}

  @Override
  public Integer call() throws IOException {
    Archive source = key.apply(existingArchive(archive));
    if (scratch != null) {
      return drill(source, scratch);
    }
    try (Removed folder = new Removed(Files.createTempDirectory("howdah-drill"))) {
      return drill(source, folder.path().resolve("store"));
    }
  }

  /**
   * A directory that is removed at the end with all that is in it. What has failed before is told,
   * and a failure of the removal beside it: a restore that fails leaves its directory.
   */
  private record Removed(Path path) implements Closeable {

    @Override
    public void close() throws IOException {
      try (Stream<Path> files = Files.walk(path)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** A restore that fails removes what it has written, but not the directory that it has made. */
  private static void removeEmpty(Path target, HowdahException failure) {
    try {
      Files.deleteIfExists(target);
    } catch (IOException e) {
      failure.addSuppressed(e); // it is not empty, or not this user's: it stays
    }
  }

  private int drill(Archive source, Path target) throws IOException {
    long started = System.nanoTime();
    boolean isNew = Files.notExists(target);
    StoreArchives.Restored restored;
    try {
      restored = StoreArchives.restore(source, target, ArchiveMoment.latest());
    } catch (HowdahException e) {
      if (isNew) {
        removeEmpty(target, e);
      }
      throw e;
    } catch (IllegalArgumentException e) { // nothing can be restored: what a drill is to find out
      throw new DataException(String.valueOf(e.getMessage()), e);
    }
    long millis = Duration.ofNanos(System.nanoTime() - started).toMillis();
    try (Removed made = new Removed(target)) {
      StoreBackups.check(made.path());
      Store.open(made.path()).close();
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("lsn", restored.lsn());
    result.put("time", restored.time().toString());
    result.put("restoreMillis", millis);
    return report(
        List.of(
            "restored as of LSN "
                + restored.lsn()
                + ", "
                + restored.time()
                + ", verified and opened; the restore took "
                + millis
                + " ms"),
        result);
  }
}

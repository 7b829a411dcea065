package io.howdah.cli.store;

import io.howdah.AdminClient;
import io.howdah.CheckReport;
import io.howdah.StoreBackups;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah stat}. */
@Command(
    name = "stat",
    mixinStandardHelpOptions = true,
    description =
        "Prints figures of a store: of the running process if one has it open with an admin socket,"
            + " else of its files.%n")
public final class StatCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public StatCommand() {}

  @Override
  public Integer call() {
    existing(store);
    try {
      CheckReport report = StoreBackups.check(store);
      line("clean " + (report.clean() ? 1 : 0));
      line("lsn " + report.lsn());
      line("replayRecords " + report.records());
      line("replayBytes " + report.logBytes());
    } catch (StoreLockedException e) {
      AdminClient.stat(store).forEach((name, value) -> line(name + " " + value));
    }
    for (String part : List.of("log", "journal")) {
      line(part + "Bytes " + bytes(store.resolve(part)));
    }
    return 0;
  }

  private static long bytes(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException("the files in " + folder + " could not be counted", e);
    }
  }
}

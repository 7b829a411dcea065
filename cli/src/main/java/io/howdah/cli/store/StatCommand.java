package io.howdah.cli.store;

import io.howdah.AdminClient;
import io.howdah.CheckReport;
import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.StoreSpace;
import io.howdah.cli.catalogue.DataException;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah stat}. */
@Command(
    name = "stat",
    mixinStandardHelpOptions = true,
    description =
        "Prints figures of a store: from its files if no process has it open, else from the process that has opened it, if that was with an admin socket.%n")
public final class StatCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public StatCommand() {}

  @Override
  public Integer call() throws IOException {
    existing(store);
    Map<String, Long> figures = new LinkedHashMap<>();
    try {
      CheckReport report = StoreBackups.check(store);
      figures.put("closed", report.closed() ? 1L : 0L);
      figures.put("lsn", report.lsn());
      figures.put("replayRecords", report.records());
      figures.put("replayBytes", report.logBytes());
      if (report.closed() && report.lsn() > 0) {
        space(figures);
      }
    } catch (StoreLockedException e) {
      figures.putAll(ask(e, () -> AdminClient.figures(store)));
    }
    for (String part : List.of("log", "journal")) {
      figures.put(part + "Bytes", bytes(store.resolve(part)));
    }
    List<String> lines =
        figures.entrySet().stream().map(each -> each.getKey() + " " + each.getValue()).toList();
    return report(lines, figures);
  }

  private void space(Map<String, Long> figures) {
    try (Store opened = Store.open(store, StoreOptions.defaults().withReadOnly(true))) {
      StoreSpace space = opened.admin().space();
      figures.put("usedBytes", space.usedBytes());
      figures.put("freeBytes", space.freeBytes());
      figures.put("reclaimableBytes", space.reclaimableBytes());
    }
  }

  /**
   * Returns the bytes of the files in a directory, 0 if it is missing. A process that has the store
   * open may remove files meanwhile.
   */
  private static long bytes(Path folder) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      long bytes = 0;
      for (Path file : files) {
        bytes += Files.isDirectory(file) ? bytes(file) : file.toFile().length();
      }
      return bytes;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException | DirectoryIteratorException e) {
      throw new DataException(
          "the files in " + folder + " cannot be counted: " + e.getMessage(), e);
    }
  }
}

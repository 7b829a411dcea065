package io.howdah.cli.store;

import io.howdah.ExportReport;
import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.cli.command.MaxSizeOption;
import io.howdah.cli.command.StoreFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code howdah import}. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Fills a store from what howdah export has written; makes the store if there is none.",
      "The export is checked before anything is made or changed. If it is killed at any moment, the same command continues where it stopped. No other process may have the store open, and it must not have"
          + " structures of the same names.",
      "The source comes first, then the target, as with cp."
    })
public final class ImportCommand extends StoreCommand {

  @Parameters(paramLabel = "EXPORT", description = "The directory of an export.")
  private Path export;

  @Parameters(paramLabel = "TARGET", description = "The store's directory, or one to create.")
  private Path store;

  @Mixin private MaxSizeOption maxSize;

  /** Creates it, for the command line. */
  public ImportCommand() {}

  @Override
  public Integer call() throws IOException {
    requireOutside(existing(export), store);
    StoreFolder.requireNoBackup(store);
    if (!StoreFolder.hasStore(store)) {
      // Before a store is made that would stay empty.
      ExportReport _ = StoreBackups.checkExport(export);
    }
    try (Store opened = Store.open(store, maxSize.options())) {
      Map<String, Long> figures = ExportCommand.figures(opened.admin().importFrom(export));
      return report(List.of(ExportCommand.describe("imported", figures)), figures);
    }
  }
}

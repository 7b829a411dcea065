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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code howdah import}. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    customSynopsis = {
      "howdah import [--max-size=SIZE] [--json=FILE] EXPORT TARGET",
      "       howdah import KIND [OPTION ...] FILE TARGET"
    },
    description = {
      "Fills a store from what howdah export has written; makes the store if there is none.",
      "The export is checked before anything is made or changed. If it is killed at any moment, the same command continues where it stopped. No other process may have the store open, and it must not have"
          + " structures of the same names.",
      "With a KIND it copies the maps of another embedded store; an export in a folder of such a name is ./KIND.",
      "The source comes first, then the target, as with cp."
    },
    subcommands = {
      ForeignImportCommand.OfMvStore.class,
      ForeignImportCommand.OfMapDb.class,
      ForeignImportCommand.OfRocksDb.class,
      ForeignImportCommand.OfXodus.class
    })
public final class ImportCommand extends StoreCommand {

  // Not required for the parser, which would require them before a KIND too.
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "EXPORT",
      description = "The directory of an export.")
  private @Nullable Path export;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "TARGET",
      description = "The store's directory, or one to create.")
  private @Nullable Path store;

  @Mixin private MaxSizeOption maxSize;

  /** Creates it, for the command line. */
  public ImportCommand() {}

  @Override
  public Integer call() throws IOException {
    Path from = export;
    Path to = store;
    if (from == null || to == null) {
      throw usage(
          "Missing required "
              + (from == null ? "parameters: 'EXPORT', 'TARGET'" : "parameter: 'TARGET'"));
    }
    requireOutside(existing(from), to);
    StoreFolder.requireNoBackup(to);
    if (!StoreFolder.hasStore(to)) {
      // Before a store is made that would stay empty.
      ExportReport _ = StoreBackups.checkExport(from);
    }
    try (Store opened = Store.open(to, maxSize.options())) {
      Map<String, Long> figures = ExportCommand.figures(opened.admin().importFrom(from));
      return report(List.of(ExportCommand.describe("imported", figures)), figures);
    }
  }
}

package io.howdah.cli.store;

import io.howdah.AdminClient;
import io.howdah.ExportReport;
import io.howdah.Store;
import io.howdah.StoreAdmin;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.cli.terminal.Figures;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah export}. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Writes all structures of a store to a file that does not depend on the format of stores, for"
          + " howdah import: maps with their indexes, journals and times, lists, queues, sets,"
          + " multimaps, counters and blobs, of any codec.",
      "Nothing in the store is changed. If another process has the store open, that process does this beside its other work; it must have opened the store with an admin socket.",
      "The source comes first, then the target, as with cp."
    })
public final class ExportCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  @Parameters(paramLabel = "TARGET", description = "A directory, absent or empty.")
  private Path target;

  @Option(
      names = "--without-objects",
      description =
          "Leave out persistent objects and roots, which an export cannot hold. Without this option"
              + " a store that has some is refused.")
  private boolean withoutObjects;

  /** Creates it, for the command line. */
  public ExportCommand() {}

  @Override
  public Integer call() throws IOException {
    requireOutside(existing(store), target);
    try {
      StoreBackups.check(store);
    } catch (StoreLockedException e) {
      if (withoutObjects) {
        throw usage(
            "--without-objects is for a store that no process has open; export a backup of this one");
      }
      return exported(ask(e, () -> AdminClient.export(store, target)));
    }
    try (Store opened = Store.open(store, StoreOptions.defaults().withReadOnly(true))) {
      StoreAdmin admin = opened.admin();
      ExportReport report =
          withoutObjects ? admin.exportWithoutObjects(target) : admin.export(target);
      return exported(figures(report));
    }
  }

  private int exported(Map<String, Long> figures) throws IOException {
    return report(List.of(describe("exported", figures)), figures);
  }

  static Map<String, Long> figures(ExportReport report) {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("structures", report.structures());
    figures.put("items", report.items());
    figures.put("bytes", report.bytes());
    return figures;
  }

  static String describe(String done, Map<String, Long> figures) {
    return "%s %s structures with %s items, %s"
        .formatted(
            done,
            Figures.count(figures.getOrDefault("structures", 0L)),
            Figures.count(figures.getOrDefault("items", 0L)),
            Figures.bytes((double) figures.getOrDefault("bytes", 0L)));
  }
}

package io.howdah.cli.store;

import io.howdah.CheckReport;
import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreInspection;
import io.howdah.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description =
        "Checks superblock, journal, every page of the image and every record of the log of a store or a backup that no process has open, and with --structures its contents; changes nothing.%n")
public final class VerifyCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  @Option(
      names = "--structures",
      description =
          "Also opens it to read, verifies every tree, and compares the account of every cache with"
              + " its entries.")
  private boolean structures;

  /** Creates it, for the command line. */
  public VerifyCommand() {}

  @Override
  public Integer call() throws IOException {
    CheckReport report = StoreBackups.check(existing(store));
    List<String> lines = new ArrayList<>();
    lines.add(
        report.closed()
            ? "sound, and was closed: nothing to replay"
            : "sound; the next opening replays "
                + report.records()
                + " records of a log of "
                + report.logBytes()
                + " bytes, as for every backup and every store that was not closed");
    lines.add("can be restored as of LSN " + report.fromLsn() + " to " + report.restorableLsn());
    boolean isBackup = StoreBackups.isBackup(store);
    if (isBackup) {
      lines.add("is a backup, as it was made");
    }
    if (structures) {
      lines.add(structures());
    }
    report.remarks().forEach(remark -> lines.add("note: " + remark));
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("closed", report.closed());
    result.put("fromLsn", report.fromLsn());
    result.put("lsn", report.lsn());
    result.put("restorableLsn", report.restorableLsn());
    result.put("replayRecords", report.records());
    result.put("logBytes", report.logBytes());
    result.put("remarks", report.remarks());
    result.put("backup", isBackup);
    return report(lines, result);
  }

  /** Checks what the store holds, and says how much that is. */
  private String structures() {
    try (Store opened = Store.open(store, StoreOptions.defaults().withReadOnly(true))) {
      List<StoreInspection.Collection> collections = opened.admin().inspect().collections();
      long trees = collections.stream().filter(each -> !each.levels().isEmpty()).count();
      long caches = collections.stream().filter(each -> each.cache().isPresent()).count();
      return "%d collections are there; their %d trees and %d caches are sound"
          .formatted(collections.size(), trees, caches);
    }
  }
}

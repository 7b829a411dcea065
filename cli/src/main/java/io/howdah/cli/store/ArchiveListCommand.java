package io.howdah.cli.store;

import io.howdah.ArchiveReport;
import io.howdah.StoreArchives;
import io.howdah.cli.command.ArchivePlace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code howdah archive ls}. */
@Command(
    name = "ls",
    mixinStandardHelpOptions = true,
    description =
        "Lists the LSNs and times as of which a store can be restored from an archive. The archive may be written at the same time.%n")
public final class ArchiveListCommand extends StoreCommand {

  @Parameters(paramLabel = "ARCHIVE", description = ArchivePlace.FORM)
  private String archive;

  @Mixin private ArchiveKeyOption key = new ArchiveKeyOption();

  /** Creates it, for the command line. */
  public ArchiveListCommand() {}

  @Override
  public Integer call() throws IOException {
    ArchiveReport report = StoreArchives.list(key.apply(existingArchive(archive)));
    return report(lines(report), result(report));
  }

  static List<String> lines(ArchiveReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("archive of store " + report.storeId() + ", " + report.bytes() + " bytes");
    if (report.ranges().isEmpty()) {
      lines.add("nothing can be restored yet: there is no base with its log");
    }
    ArchiveReport.Range before = null;
    for (ArchiveReport.Range range : report.ranges()) {
      if (before != null && range.fromLsn() > before.lsn() + 1) {
        lines.add("gap: LSN " + (before.lsn() + 1) + " to " + (range.fromLsn() - 1));
      }
      lines.add(
          "LSN "
              + range.fromLsn()
              + " to "
              + range.lsn()
              + ", "
              + range.fromTime()
              + " to "
              + range.time());
      before = range;
    }
    report.remarks().forEach(remark -> lines.add("note: " + remark));
    report.damages().forEach(damage -> lines.add("damaged: " + damage));
    return lines;
  }

  static Map<String, Object> result(ArchiveReport report) {
    List<Map<String, Object>> ranges = new ArrayList<>();
    for (ArchiveReport.Range range : report.ranges()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("run", range.run());
      values.put("fromLsn", range.fromLsn());
      values.put("lsn", range.lsn());
      values.put("fromTime", range.fromTime().toString());
      values.put("time", range.time().toString());
      ranges.add(values);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("store", report.storeId());
    result.put("bytes", report.bytes());
    result.put("ranges", ranges);
    result.put("remarks", report.remarks());
    result.put("damages", report.damages());
    return result;
  }
}

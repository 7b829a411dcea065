package io.howdah.cli.store;

import io.howdah.CheckReport;
import io.howdah.StoreBackups;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description =
        "Checks superblock, journal, every page of the image and every record of the log of a store or"
            + " a backup that nobody has open; changes nothing.%n")
public final class VerifyCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public VerifyCommand() {}

  @Override
  public Integer call() {
    CheckReport report = StoreBackups.check(existing(store));
    line(
        (report.clean() ? "closed" : "not closed, a log of ")
            + (report.clean()
                ? ""
                : report.records() + " records in " + report.logBytes() + " bytes to replay"));
    line("can be restored as of LSN " + report.fromLsn() + " to " + report.lsn());
    report.remarks().forEach(remark -> line("note: " + remark));
    return 0;
  }
}

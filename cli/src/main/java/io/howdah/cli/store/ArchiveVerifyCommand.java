package io.howdah.cli.store;

import io.howdah.ArchiveReport;
import io.howdah.StoreArchives;
import io.howdah.cli.command.ArchivePlace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code howdah archive verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description =
        "Reads all of an archive and verifies every checksum; ends with 1 if something is"
            + " damaged.%n")
public final class ArchiveVerifyCommand extends StoreCommand {

  @Parameters(paramLabel = "ARCHIVE", description = ArchivePlace.FORM)
  private String archive;

  @Mixin private ArchiveKeyOption key = new ArchiveKeyOption();

  /** Creates it, for the command line. */
  public ArchiveVerifyCommand() {}

  @Override
  public Integer call() throws IOException {
    ArchiveReport report = StoreArchives.verify(key.apply(existingArchive(archive)));
    List<String> lines = new ArrayList<>(ArchiveListCommand.lines(report));
    boolean isSound = report.damages().isEmpty();
    if (isSound) {
      lines.add("sound");
    }
    report(lines, ArchiveListCommand.result(report));
    return isSound ? 0 : 1;
  }
}

package io.howdah.lab.test.campaign;

import java.time.Duration;
import picocli.CommandLine.Command;

/** {@code howdah test release}: all campaigns, for about 12 hours. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    description =
        "Runs all campaigns of howdah test, each for a share of the time, 12 hours together if"
            + " --for says nothing else, and continues where an earlier run was ended. Exit code 1"
            + " if one finds something or fails; the others run all the same.")
public final class ReleaseCommand extends CampaignCommand {

  /** Creates it, for the command line. */
  public ReleaseCommand() {
    super("release", Duration.ofHours(12));
  }
}

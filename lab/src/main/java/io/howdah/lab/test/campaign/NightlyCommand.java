package io.howdah.lab.test.campaign;

import java.time.Duration;
import picocli.CommandLine.Command;

/** {@code howdah test nightly}: all campaigns, for about 1 hour. */
@Command(
    name = "nightly",
    mixinStandardHelpOptions = true,
    description =
        "Runs all campaigns of howdah test, each for a share of the time, 1 hour together if --for"
            + " says nothing else, and continues where an earlier run was ended. Exit code 1 if one"
            + " finds something or fails; the others run all the same.")
public final class NightlyCommand extends CampaignCommand {

  /** Creates it, for the command line. */
  public NightlyCommand() {
    super("nightly", Duration.ofHours(1));
  }
}

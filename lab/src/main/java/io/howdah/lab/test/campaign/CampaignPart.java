package io.howdah.lab.test.campaign;

import java.util.List;
import java.util.Optional;

/**
 * A command of a campaign.
 *
 * @param name letters, digits and hyphens
 * @param seconds how long it is meant to run
 * @param arguments of {@code howdah}, without {@code --json}
 * @param whyNot why it cannot run here; empty if it can, as far as is known before
 */
record CampaignPart(String name, long seconds, List<String> arguments, Optional<String> whyNot) {

  CampaignPart {
    arguments = List.copyOf(arguments);
  }
}

package io.howdah.nvmsim.crash.loc;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Rule;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Protocols that omit one {@link Rule}, each where it matters, and the power cut that shows it. */
public final class PlantedMistakes {
  private PlantedMistakes() {}

  /**
   * What became of one mistake.
   *
   * @param cuts protocol it was planted in
   * @param seeds runs it took, or that were tried
   * @param states memory states recovered until then
   * @param found the broken promise that gave it away
   */
  public record Hunt(PowerCuts cuts, long seeds, long states, Optional<String> found) {}

  /** Every mistake, with the protocol it is planted in. */
  public static List<PowerCuts> all() {
    Stream<PowerCuts> each = Stream.of(Rule.values()).map(PlantedMistakes::planted);
    PowerCuts besideTheNextWindow =
        new PowerCuts(Protocol.LOC_WAL, 4, true, true, Rule.HOME_BEFORE_TRUNCATION);
    return Stream.concat(each, Stream.of(besideTheNextWindow)).toList();
  }

  private static PowerCuts planted(Rule omitted) {
    return switch (omitted) {
      case LOG_BEFORE_COMMIT_RECORD -> new PowerCuts(Protocol.H_WAL, 1, true, omitted);
      case HOME_BEFORE_TRUNCATION -> new PowerCuts(Protocol.S_WAL, 1, true, omitted);
      case LINES_BEFORE_MARK -> new PowerCuts(Protocol.LOC_KILN, 4, true, omitted);
      case BLOCKS_BEFORE_META, TAG_OF_THIS_LAP ->
          new PowerCuts(Protocol.LOC_WAL, 4, false, omitted);
      case CUT_FOLLOWS_PAIRS -> new PowerCuts(Protocol.LOC_WAL, 8, true, omitted);
      default -> new PowerCuts(Protocol.LOC_WAL, 4, true, omitted);
    };
  }

  /** Runs seeds from 1 until one finds the mistake. */
  public static Hunt hunt(PowerCuts cuts, int mostSeeds) {
    long states = 0;
    for (long seed = 1; seed <= mostSeeds; seed++) {
      PowerCutResult result = cuts.small(seed);
      states += result.states();
      if (result.violation().isPresent()) {
        return new Hunt(cuts, seed, states, result.violation());
      }
    }
    return new Hunt(cuts, mostSeeds, states, Optional.empty());
  }
}

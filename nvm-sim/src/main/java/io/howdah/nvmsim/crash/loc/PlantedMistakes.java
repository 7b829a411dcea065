package io.howdah.nvmsim.crash.loc;

import io.howdah.nvmsim.loc.Fault;
import io.howdah.nvmsim.loc.Protocol;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The mistakes of {@link Fault}, each planted where it matters, and who finds it. */
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
    Stream<PowerCuts> each =
        Stream.of(Fault.values())
            .filter(fault -> fault != Fault.NONE)
            .map(PlantedMistakes::planted);
    PowerCuts besideTheNextWindow =
        new PowerCuts(Protocol.LOC_WAL, 4, true, true, Fault.EARLY_TRUNCATION);
    return Stream.concat(each, Stream.of(besideTheNextWindow)).toList();
  }

  private static PowerCuts planted(Fault fault) {
    return switch (fault) {
      case EARLY_COMMIT_RECORD -> new PowerCuts(Protocol.H_WAL, 1, true, fault);
      case EARLY_TRUNCATION -> new PowerCuts(Protocol.S_WAL, 1, true, fault);
      case EARLY_MARK -> new PowerCuts(Protocol.LOC_KILN, 4, true, fault);
      case META_WITH_BLOCKS, ANY_LAP -> new PowerCuts(Protocol.LOC_WAL, 4, false, fault);
      case CUT_AS_PUBLISHED -> new PowerCuts(Protocol.LOC_WAL, 8, true, fault);
      default -> new PowerCuts(Protocol.LOC_WAL, 4, true, fault);
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

package io.howdah.nvmsim.crash.thynvm;

import java.util.ArrayList;
import java.util.List;

/**
 * What was found.
 *
 * @param points events after which the power was cut
 * @param states contents of NVM that were recovered
 * @param cutRecoveries of these, recovered again after a cut recovery
 * @param promotions pages that the last life of a run moved to DRAM
 * @param demotions pages that it moved back
 * @param swaps blocks that it exchanged with Home during a checkpoint
 * @param violations the first few
 */
public record CrashResult(
    long points,
    long states,
    long cutRecoveries,
    long promotions,
    long demotions,
    long swaps,
    List<String> violations) {
  static final CrashResult NOTHING = new CrashResult(0, 0, 0, 0, 0, 0, List.of());

  public CrashResult {
    violations = List.copyOf(violations);
  }

  /** Both together. */
  public CrashResult plus(CrashResult other) {
    List<String> all = new ArrayList<>(violations);
    all.addAll(other.violations);
    return new CrashResult(
        points + other.points,
        states + other.states,
        cutRecoveries + other.cutRecoveries,
        promotions + other.promotions,
        demotions + other.demotions,
        swaps + other.swaps,
        all);
  }
}

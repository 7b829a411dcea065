package io.howdah.crashtest.workload;

/**
 * What an exploration went through.
 *
 * @param states disks that were recovered and judged, or that differ from one that was in what its
 *     recovery does not read only
 * @param runs those that were recovered
 * @param inRecovery those of the states after a crash in a recovery
 * @param leftOut legal states of the same crashes that are not among the states: their recovery
 *     would have read something new, and there was no run left for them
 * @param audited states that were recovered although it was known what would come out; the same did
 */
public record Explored(long states, long runs, long inRecovery, long leftOut, long audited) {

  static final Explored NOTHING = new Explored(0, 0, 0, 0, 0);

  Explored plus(Explored other) {
    return new Explored(
        states + other.states,
        runs + other.runs,
        inRecovery + other.inRecovery,
        leftOut + other.leftOut,
        audited + other.audited);
  }
}

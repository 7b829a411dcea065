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
 * @param points moments at which a workload died
 * @param pointsLeft moments at which it was to die, and did not, because a limit was reached; their
 *     states are not known, so they are in none of the other numbers
 */
public record Explored(
    long states,
    long runs,
    long inRecovery,
    long leftOut,
    long audited,
    long points,
    long pointsLeft) {

  static final Explored NOTHING = new Explored(0, 0, 0, 0, 0, 0, 0);

  /** Returns this with a state more. */
  Explored plusState(boolean isInRecovery) {
    return new Explored(
        states + 1,
        runs,
        inRecovery + (isInRecovery ? 1 : 0),
        leftOut,
        audited,
        points,
        pointsLeft);
  }

  Explored plusRun() {
    return new Explored(states, runs + 1, inRecovery, leftOut, audited, points, pointsLeft);
  }

  Explored plusLeftOut() {
    return new Explored(states, runs, inRecovery, leftOut + 1, audited, points, pointsLeft);
  }

  Explored plusAudited() {
    return new Explored(states, runs, inRecovery, leftOut, audited + 1, points, pointsLeft);
  }

  Explored plusPoint() {
    return new Explored(states, runs, inRecovery, leftOut, audited, points + 1, pointsLeft);
  }

  Explored withPointsLeft(long count) {
    return new Explored(states, runs, inRecovery, leftOut, audited, points, count);
  }

  Explored plus(Explored other) {
    return new Explored(
        states + other.states,
        runs + other.runs,
        inRecovery + other.inRecovery,
        leftOut + other.leftOut,
        audited + other.audited,
        points + other.points,
        pointsLeft + other.pointsLeft);
  }
}

package io.howdah.crashtest.workload;

/**
 * How much of each crash is explored.
 *
 * @param points moments at which a workload dies, at most; its end comes on top
 * @param states of a power cut that are looked at, at most: all, or samples of more
 * @param runs recoveries of the states that one power cut may leave, at most; states beyond are
 *     judged only as far as these tell what comes out
 * @param recoveryPoints moments at which recoveries die, for each crash; 0 for none
 * @param depth of crashes in recoveries: 1 for a crash in the recovery from a crash, 2 for one in
 *     the recovery from that
 * @param auditOneIn of the states that are not run, one in so many is run all the same; 0 for none
 * @param isPruned whether states are judged by what other recoveries read
 */
record ExploreBounds(
    int points,
    long states,
    int runs,
    int recoveryPoints,
    int depth,
    int auditOneIn,
    boolean isPruned) {

  ExploreBounds {
    if (points < 0 || states < 1 || runs < 2 || recoveryPoints < 0 || depth < 0 || auditOneIn < 0) {
      throw new IllegalArgumentException(
          "states at least 1, runs at least 2, the others at least 0: "
              + states
              + ", "
              + runs
              + ", "
              + recoveryPoints
              + ", "
              + depth
              + ", "
              + auditOneIn);
    }
  }
}

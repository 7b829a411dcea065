package io.howdah.crashtest.kill;

/**
 * One life of the child: from its start to the kill, and what the next opening found.
 *
 * @param number from 1
 * @param plan what its threads did, see {@link RoundPlan}
 * @param runNanos how long transfers ran before the kill
 * @param openNanos how long opening the store took after it
 * @param redoRecords how many redo records that opening replayed
 * @param killsWhileOpening how many further children were killed in between, while they opened the
 *     store
 * @param verdict what the opening gave back
 */
public record Round(
    int number,
    String plan,
    long runNanos,
    long openNanos,
    long redoRecords,
    int killsWhileOpening,
    Verdict verdict) {

  /** Returns the rate at which commits returned. */
  public double perSecond() {
    return verdict.acknowledged() * 1e9 / runNanos;
  }
}

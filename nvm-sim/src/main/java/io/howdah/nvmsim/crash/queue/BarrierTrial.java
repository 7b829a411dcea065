package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.queue.BarrierPoint;

/**
 * What became of a queue when one of its barriers was dropped.
 *
 * @param subject the queue with the barrier, and the model
 * @param dropped the barrier
 * @param verdict what it was good for
 * @param outcome the check without it
 * @param asExpected whether the verdict is what we expect
 */
public record BarrierTrial(
    CrashSubject subject,
    BarrierPoint dropped,
    Verdict verdict,
    QueueCrashCheck.Outcome outcome,
    boolean asExpected) {
  /** What a barrier is good for, within the bounds of the runs. */
  public enum Verdict {
    /** Without it a failure can leave a queue that recovers wrong data. */
    NEEDED("needed"),
    /** Without it fewer persists are ordered, and recovery holds. */
    ORDERS_MORE_THAN_NEEDED("orders more than recovery needs"),
    /** Without it the same persists are ordered. */
    REDUNDANT("redundant");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    /** As reports print it. */
    @Override
    public String toString() {
      return text;
    }
  }
}

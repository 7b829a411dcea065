package io.howdah;

import io.howdah.NotYetDurableException.Subject;
import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What some commits promise in a mode: whether it is reached by now, a wait for it, and a stage.
 * Thread-safe.
 *
 * @param waits of the store
 * @param mode what the commits promise
 * @param points cover all of the commits; they do not change
 * @param subject of the message, if the wait takes too long
 * @param newest stands for the commits in a receipt
 */
record Milestone(
    DurabilityWaits waits,
    Durability mode,
    List<CommitPoint> points,
    Subject subject,
    CommitPoint newest) {

  /** Returns whether it is reached by now: some reads of memory. */
  boolean reached() {
    for (CommitPoint point : points) {
      if (!waits.isReached(mode, point)) {
        return false;
      }
    }
    return true;
  }

  /** Waits for a limited time; returns whether it is reached. The log forces what is missing. */
  boolean await(Duration timeout) {
    return waits.await(this, timeout);
  }

  /**
   * Waits for as long as the options allow.
   *
   * @throws NotYetDurableException if it is not reached by then
   */
  void await() {
    waits.await(this);
  }

  /** Returns a stage that completes when it is reached. The log forces what is missing. */
  CompletionStage<@Nullable Void> whenReached() {
    CompletionStage<@Nullable Void> all = waits.whenReached(mode, points.getFirst());
    for (CommitPoint point : points.subList(1, points.size())) {
      all = all.thenCombine(waits.whenReached(mode, point), (_, _) -> null);
    }
    return all;
  }
}

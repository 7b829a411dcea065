package io.howdah;

import io.howdah.NotYetDurableException.Subject;
import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The durability of one or more commits in a mode. It is reached once all of them survive what the
 * mode promises. The program checks it, waits for it, or gets a stage; {@link DurabilityWaits}
 * creates it. Thread-safe.
 *
 * @param waits of the store
 * @param mode what the commits must survive
 * @param points the outcomes of the commits; they do not change
 * @param subject of the message if a wait times out
 * @param newest represents the commits in the receipt if a wait times out
 */
record Milestone(
    DurabilityWaits waits,
    Durability mode,
    List<CommitPoint> points,
    Subject subject,
    CommitPoint newest) {

  /** Returns whether it is reached by now. Reads memory only. */
  boolean reached() {
    for (CommitPoint point : points) {
      if (!waits.isReached(mode, point)) {
        return false;
      }
    }
    return true;
  }

  /** Requests a force and waits for a limited time; returns whether it is reached. */
  boolean await(Duration timeout) {
    return waits.await(this, timeout);
  }

  /**
   * Requests a force and waits for at most the store's durability timeout.
   *
   * @throws NotYetDurableException if it is not reached by then
   */
  void await() {
    waits.await(this);
  }

  /** Requests a force; returns a stage that completes when it is reached. */
  CompletionStage<@Nullable Void> whenReached() {
    CompletionStage<@Nullable Void> all = waits.whenReached(mode, points.getFirst());
    for (CommitPoint point : points.subList(1, points.size())) {
      all = all.thenCombine(waits.whenReached(mode, point), (_, _) -> null);
    }
    return all;
  }
}

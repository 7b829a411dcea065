package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.StoreFailedException;
import io.howdah.log.commit.Lane;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a lane counts as abandoned, with a clock that the test moves. */
final class AbandonedLaneTest {

  private static final long SECOND = 1_000_000_000;

  private final SmallEngine engine = new SmallEngine();
  private final List<Throwable> told = new ArrayList<>();
  private final LaneWatch watch =
      new LaneWatch(
          engine.lanes, engine.attempts, engine.gate, engine.lifecycle, engine.clock, told::add);
  private final Attempt attempt = engine.attempts.take();

  @AfterEach
  void close() {
    engine.close();
  }

  private void lookAfter(long nanos) {
    engine.clock.nanos += nanos;
    watch.run();
  }

  @Test
  void aLaneOfNoCommitIsReportedAfterASecond() {
    engine.lanes.lease(attempt.id, 64, 0);
    watch.run();
    lookAfter(SECOND - 1);
    assertThat(told).isEmpty();
    lookAfter(1);
    assertThat(told).hasSize(1);
    assertThat(told.getFirst())
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining(
            "is leased by attempt 0, which has left its commit (stage: no commit)");
    lookAfter(SECOND);
    assertThat(told).as("told once").hasSize(1);
  }

  @Test
  void aLaneThatWasGivenBackInBetweenIsNot() {
    Lane lane = engine.lanes.lease(attempt.id, 64, 0);
    watch.run();
    lane.endLease();
    lookAfter(SECOND);
    engine.lanes.lease(attempt.id, 64, 0);
    lookAfter(0);
    lookAfter(SECOND - 1);
    assertThat(told).isEmpty();
  }

  @Test
  void aLaneOfAnotherCommitIsNot() {
    engine.lanes.lease(attempt.id, 64, 0);
    watch.run();
    attempt.progress.begun++; // has come and gone
    lookAfter(SECOND);
    lookAfter(SECOND - 1);
    assertThat(told).isEmpty();
    lookAfter(1);
    assertThat(told).hasSize(1);
  }

  @Test
  void aLaneOfACommitUnderWayIsNot() {
    engine.lanes.lease(attempt.id, 64, 0);
    attempt.progress.begin();
    watch.run();
    lookAfter(SECOND);
    lookAfter(SECOND);
    assertThat(told).isEmpty();
    attempt.progress.end();
    watch.run();
    lookAfter(SECOND - 1);
    assertThat(told).isEmpty();
    lookAfter(1);
    assertThat(told).hasSize(1);
  }

  @Test
  void anUnreportedFailureIsReportedOnce() {
    IllegalStateException failure = new IllegalStateException("by the test");
    engine.lifecycle.failure = failure;
    watch.run();
    watch.run();
    assertThat(told).containsExactly(failure);
  }

  /** A look that fails in the middle does not keep later ones away. */
  @Test
  void theWatchLooksAgainAfterAnError() {
    List<Throwable> second = new ArrayList<>();
    LaneWatch failing =
        new LaneWatch(
            engine.lanes,
            engine.attempts,
            engine.gate,
            engine.lifecycle,
            engine.clock,
            thrown -> {
              second.add(thrown);
              if (second.size() == 1) {
                throw new StackOverflowError("by the test");
              }
            });
    IllegalStateException failure = new IllegalStateException("by the test");
    engine.lifecycle.failure = failure;
    try {
      failing.run();
    } catch (StackOverflowError e) {
      failing.run();
      failing.run();
    }
    assertThat(second).containsExactly(failure, failure);
  }
}

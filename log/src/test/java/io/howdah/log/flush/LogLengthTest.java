package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;

/** A log that has grown to its maximum length. */
class LogLengthTest {

  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));

  @Test
  void commitsAreBlockedAtTheMaximumLengthOfTheLog() {
    Storage storage = SimulatedDisk.seeded(1).storage();
    SegmentHistory history = new SegmentHistory(1, 0);
    CommitLanes lanes = CommitLanes.unlogged(words, 1, execution, () -> {});
    LogLimit limit = new LogLimit(history::bytes, lanes, 2000);
    List<Boolean> actions = new ArrayList<>();
    limit.whenBlocked(() -> actions.add(lanes.isBlocked()));
    assertThat(limit.maxBytes()).isEqualTo(2000);

    for (int sequence = 1; sequence <= 2; sequence++) {
      limit.check();
      assertThat(lanes.isBlocked()).isFalse();
      Segment segment =
          new Segment(storage.create("s" + sequence), "s" + sequence, sequence, 1000, 0);
      history.add(
          new SegmentHistory.Used(segment, sequence, new long[1]), 500, new BatchId(sequence, 0));
    }
    limit.check();
    limit.check();
    assertThat(lanes.isBlocked()).isTrue();
    assertThat(actions).containsExactly(true);
    assertThat(limit.timesBlocked()).isEqualTo(1);

    history.removeBefore(new TrimPoint(2, 2));
    limit.check();
    assertThat(lanes.isBlocked()).isFalse();
    lanes.enterGate(7);
    lanes.block(true); // as a transaction leaves the gate that has read the state of before
    lanes.leaveGateIfHeld(7);
    limit.check();
    assertThat(lanes.isBlocked()).isFalse();
    assertThat(lanes.leaseAtOnce(0, 64)).isNotNull();
    assertThat(limit.timesBlocked()).isEqualTo(1);
    limit.close();
  }

  /** A log of one segment of 1,000 bytes, and its limit. */
  private LogLimit full(SegmentHistory history, long maxBytes) {
    Storage storage = SimulatedDisk.seeded(1).storage();
    Segment segment = new Segment(storage.create("s1"), "s1", 1, 1000, 0);
    history.add(new SegmentHistory.Used(segment, 1, new long[1]), 500, new BatchId(1, 0));
    return new LogLimit(
        history::bytes, CommitLanes.unlogged(words, 1, execution, () -> {}), maxBytes);
  }

  @Test
  void aFlightRecordingShowsHowLongCommitsWereBlocked() {
    SegmentHistory history = new SegmentHistory(1, 0);
    LogLimit limit = full(history, 1000);
    List<RecordedEvent> holds =
        FlightRecords.of(
            "io.howdah.LogBlock",
            () -> {
              limit.check();
              limit.check();
              history.removeBefore(new TrimPoint(2, 2));
              limit.check();
              limit.close();
            });
    assertThat(holds).hasSize(1);
    assertThat(holds.getFirst().getLong("limit")).isEqualTo(1000);
    assertThat(holds.getFirst().getDuration()).isPositive();
  }

  @Test
  void aLogThatEndsAtItsLimitTellsToo() {
    LogLimit limit = full(new SegmentHistory(1, 0), 999);
    List<RecordedEvent> under =
        FlightRecords.of(
            "io.howdah.LogBlock",
            () -> {
              limit.check();
              limit.check();
            });
    assertThat(under).as("it goes on").isEmpty();
    assertThat(FlightRecords.of("io.howdah.LogBlock", limit::close)).hasSize(1);
    LogLimit below = full(new SegmentHistory(1, 0), 1001);
    assertThat(
            FlightRecords.of(
                "io.howdah.LogBlock",
                () -> {
                  below.check();
                  below.close();
                }))
        .isEmpty();
  }
}

package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A log that has grown to its maximum length. */
class LogLengthTest {

  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));

  @Test
  void atItsLimitTheLogHoldsCommitsUntilItIsShorter() {
    Storage storage = SimulatedDisk.seeded(1).storage();
    SegmentHistory history = new SegmentHistory(1, 0);
    CommitLanes lanes = CommitLanes.unlogged(words, 1, execution, () -> {});
    LogLimit limit = new LogLimit(history, lanes, 2000);
    List<Boolean> actions = new ArrayList<>();
    limit.whenBlocked(() -> actions.add(lanes.isBlocked()));
    assertThat(limit.maxBytes()).isEqualTo(2000);

    for (int sequence = 1; sequence <= 2; sequence++) {
      limit.check();
      assertThat(lanes.isBlocked()).isFalse();
      Segment segment =
          new Segment(storage.create("s" + sequence), "s" + sequence, sequence, 1000, 0);
      history.add(new SegmentHistory.Used(segment, sequence, new long[1]));
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
    lanes.leaveGate(7);
    limit.check();
    assertThat(lanes.isBlocked()).isFalse();
    assertThat(lanes.leaseAtOnce(0, 64)).isNotNull();
    assertThat(limit.timesBlocked()).isEqualTo(1);
    limit.close();
  }
}

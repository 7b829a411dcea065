package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitWords;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the flusher sleeps, gathers waiters, and is woken. */
class DoorbellTest {

  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));
  private final Doorbell doorbell = new Doorbell(words, execution);

  @Test
  void theFlusherSleepsUntilItsDeadlineOrUntilThereIsWork() {
    long deadline = execution.nanos + 500;
    List<Long> parked = new ArrayList<>();
    execution.onPark = () -> parked.add(words.getLong(CommitWords.PARKED));
    doorbell.sleepUntil(deadline, () -> false);
    assertThat(execution.parks).containsExactly(500L);
    assertThat(parked).containsExactly(1L);
    assertThat(words.getLong(CommitWords.PARKED)).isZero();

    doorbell.sleepUntil(execution.nanos + 500, () -> true);
    doorbell.sleepUntil(execution.nanos, () -> false);
    assertThat(execution.parks).hasSize(1);
    assertThat(words.getLong(CommitWords.PARKED)).isZero();
  }

  @Test
  void oneOfSeveralThreadsWakesTheFlusherOnceEnoughHaveArrived() {
    Thread flusher = new Thread(() -> {});
    doorbell.ring();
    doorbell.flusherIs(flusher);
    doorbell.ring();
    assertThat(execution.unparked).isEmpty();
    words.setLong(CommitWords.PARKED, 3);
    doorbell.ring(2);
    assertThat(execution.unparked).isEmpty();
    doorbell.ring(3);
    doorbell.ring(4);
    assertThat(execution.unparked).containsExactly(flusher);
  }

  @Test
  void theFlusherGathersAsLongAsWaitersArriveUpToItsTarget() {
    int[] arrived = {0};
    execution.onPark = () -> arrived[0]++;
    doorbell.gather(3, () -> arrived[0], Long.MAX_VALUE, 50, () -> false);
    assertThat(execution.parks).containsExactly(50L, 50L, 50L);
    assertThat(words.getLong(CommitWords.PARKED)).isZero();

    doorbell.gather(3, () -> arrived[0], Long.MAX_VALUE, 50, () -> false);
    assertThat(execution.parks).hasSize(3);

    execution.onPark = () -> assertThat(words.getLong(CommitWords.PARKED)).isEqualTo(9);
    doorbell.gather(9, () -> arrived[0], Long.MAX_VALUE, 50, () -> false); // nobody comes
    assertThat(execution.parks).hasSize(4);

    doorbell.gather(9, () -> arrived[0], Long.MAX_VALUE, 50, () -> true);
    assertThat(execution.parks).hasSize(4);

    execution.onPark = () -> arrived[0]++;
    doorbell.gather(99, () -> arrived[0], execution.nanos + 100, 50, () -> false);
    assertThat(execution.parks).hasSize(6);
  }
}

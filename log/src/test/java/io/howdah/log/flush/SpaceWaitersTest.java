package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.LogFullException;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Deadline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How commits wait for space in the log, how long, and who wakes them. */
class SpaceWaitersTest {

  private static final long FULL_NANOS = 10_000_000;
  private static final long MILLISECOND = 1_000_000;

  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));
  private final Doorbell doorbell = new Doorbell(words, execution);
  private final SpaceWaiters waiters =
      new SpaceWaiters(words, execution, doorbell, FULL_NANOS, 4096);
  private int looks;

  private boolean isLook(int number) {
    return ++looks >= number;
  }

  @Test
  void aCommitThatHasSpaceDoesNotWait() {
    waiters.await(() -> true, Deadline.NONE);
    assertThat(execution.parks).isEmpty();
    assertThat(waiters.isAnyoneWaiting()).isFalse();
  }

  @Test
  void spaceThatComesWhileACommitEnqueuesItselfIsNotMissed() {
    waiters.await(() -> isLook(2), Deadline.NONE);
    assertThat(execution.parks).isEmpty();
  }

  @Test
  void aWaitingCommitIsInTheQueueAndWokenOnce() {
    List<Boolean> waiting = new ArrayList<>();
    execution.onPark =
        () -> {
          waiting.add(waiters.isAnyoneWaiting());
          waiters.wake();
          waiting.add(waiters.isAnyoneWaiting());
        };
    waiters.await(() -> isLook(3), Deadline.NONE);
    assertThat(waiting).containsExactly(true, false);
    assertThat(execution.unparked).containsExactly(Thread.currentThread());
    assertThat(execution.parks).containsExactly(MILLISECOND);
  }

  @Test
  void aWaitingCommitWakesTheFlusher() {
    Thread flusher = new Thread(() -> {});
    doorbell.flusherIs(flusher);
    words.setLong(CommitWords.PARKED, 1);
    waiters.await(() -> isLook(2), Deadline.NONE);
    assertThat(execution.unparked).containsExactly(flusher);
    assertThat(words.getLong(CommitWords.PARKED)).isZero();
  }

  @Test
  void aFullFileSystemIsReportedAfterItsTimeoutAndOnlyIfItIsFull() {
    waiters.await(() -> isLook(40), Deadline.NONE);
    assertThat(execution.nanos).isGreaterThan(FULL_NANOS + MILLISECOND);

    waiters.setFileSystemFull(true);
    long started = execution.nanos;
    assertThatThrownBy(() -> waiters.await(() -> false, Deadline.NONE))
        .isInstanceOf(LogFullException.class)
        .hasMessageContaining("file system is full");
    assertThat(execution.nanos - started).isEqualTo(FULL_NANOS);
  }

  @Test
  void anInterruptOfAWaitingCommitIsKeptAndDoesNotEndTheWait() {
    execution.onPark = () -> Thread.currentThread().interrupt();
    waiters.await(() -> isLook(7), Deadline.NONE);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(execution.parks).hasSize(3);

    execution.onPark = () -> {};
    looks = 0;
    waiters.await(() -> isLook(7), Deadline.NONE);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void aWaitForATrimEndsWithTheTrimOrAfterTheTimeoutWithTheReason() {
    waiters.awaitTrim(() -> isLook(2), Deadline.NONE);
    assertThat(execution.parks).containsExactly(5 * MILLISECOND);

    long started = execution.nanos;
    assertThatThrownBy(() -> waiters.awaitTrim(() -> false, Deadline.NONE))
        .isInstanceOf(LogFullException.class)
        .hasMessageContaining("limit of 4096 bytes")
        .hasMessageContaining("for 10 ms")
        .hasMessageNotContaining("the last one failed")
        .hasNoCause();
    assertThat(execution.nanos - started).isEqualTo(FULL_NANOS);

    Throwable cause = new IllegalStateException("of the disk");
    waiters.notTrimmed(cause);
    assertThatThrownBy(() -> waiters.awaitTrim(() -> false, Deadline.NONE))
        .hasMessageContaining("the last one failed: of the disk")
        .hasCause(cause);
  }

  @Test
  void everyWaitEndsWithTheDeadline() {
    Deadline over =
        new Deadline() {
          @Override
          public long leftNanos() {
            return 0;
          }

          @Override
          public void failIfOver() {
            throw new IllegalStateException("over");
          }
        };
    assertThatThrownBy(() -> waiters.await(() -> false, over)).hasMessage("over");
    assertThatThrownBy(() -> waiters.awaitTrim(() -> false, over)).hasMessage("over");
  }

  @Test
  void aClosedLogAndAFailedOneRefuseCommitsEachWithItsReason() {
    waiters.failIfStopped();
    assertThat(waiters.failure()).isNull();
    waiters.stop(null);
    assertThatThrownBy(waiters::failIfStopped).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> waiters.await(() -> false, Deadline.NONE))
        .isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> waiters.awaitTrim(() -> false, Deadline.NONE))
        .isInstanceOf(StoreClosedException.class);
    Throwable first = new IllegalStateException("first");
    waiters.stop(first);
    waiters.stop(new IllegalStateException("second"));
    assertThat(waiters.failure()).isSameAs(first);
    assertThatThrownBy(waiters::failIfStopped)
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("first")
        .hasCause(first);
  }
}

package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits for durability: what ends them, and in what time. */
class StabilityWaitersTest {

  private static final long SECOND = 1_000_000_000L;

  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));
  private final Doorbell doorbell = new Doorbell(words, execution);
  private final StabilityWaiters waiters = new StabilityWaiters(words, execution, doorbell, 0);
  private final Ring ring =
      new Ring(
          Regions.anonymous(RingLayout.HEADER_LENGTH + (long) RingLayout.MIN_CAPACITY),
          0,
          RingLayout.MIN_CAPACITY);
  private final List<Boolean> told = new ArrayList<>();

  @AfterEach
  void noInterruptIsLeft() {
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void whatIsStableIsNotWaitedFor() {
    words.setLong(CommitWords.STABLE, 7);
    assertThat(waiters.awaitForced(7, null, 0, 7, 0)).isTrue();
    assertThat(waiters.awaitForced(8, null, 0, 8, 0)).isFalse();
    assertThat(waiters.awaitForced(8, ring, 0, 7, 0)).isTrue();
    assertThat(waiters.awaitForced(8, ring, 0, 8, 0)).isFalse();
    assertThat(waiters.awaitForced(8, ring, 1, 7, 0)).isFalse();
    ring.publishForced(1);
    assertThat(waiters.awaitForced(8, ring, 1, 7, 0)).isTrue();
    assertThat(execution.parks).isEmpty();
    assertThat(waiters.count()).isZero();
  }

  @Test
  void aWaitEndsWithThePublicationOfItsLsn() {
    execution.onPark = () -> waiters.publishStable(execution.parks.size() + 4);
    assertThat(waiters.awaitForced(7, null, 0, 7, SECOND)).isTrue();
    assertThat(execution.parks).hasSize(3);
    assertThat(execution.unparked).containsExactly(Thread.currentThread());
    assertThat(waiters.count()).isZero();
  }

  @Test
  void aShortWaitEndsWithItsTimeoutExactly() {
    assertThat(waiters.awaitForced(7, null, 0, 7, SECOND / 4)).isFalse();
    assertThat(execution.parks).containsExactly(SECOND / 10, SECOND / 10, SECOND / 20);
    assertThat(waiters.publishStable(3)).isEqualTo(1); // the one that has gone
    assertThat(waiters.count()).isZero();
  }

  @Test
  void aLongWaitBeginsToCountItsTimeWhenItWakesWithoutASuccess() {
    assertThat(waiters.awaitForced(7, null, 0, 7, 6 * SECOND)).isFalse();
    assertThat(execution.nanos).isBetween(6 * SECOND, 7 * SECOND);
    execution.parks.clear();
    execution.onPark = () -> waiters.publishStable(execution.parks.size());
    assertThat(waiters.awaitForced(7, null, 0, 7, Long.MAX_VALUE - 1))
        .isTrue(); // without an overflow
  }

  @Test
  void aWaitWithoutALimitEndsWithTheLog() {
    execution.onPark =
        () -> {
          if (execution.parks.size() == 1000) {
            waiters.stop();
          }
        };
    assertThat(waiters.awaitForced(7, null, 0, 7, Long.MAX_VALUE)).isFalse();
    assertThat(execution.parks).hasSize(1000);
    assertThat(waiters.isStopped()).isTrue();
    assertThat(new StabilityWaiters(words, execution, doorbell, 0).isStopped()).isFalse();
  }

  @Test
  void anInterruptNeitherEndsAWaitNorIsLost() {
    execution.onPark =
        () -> {
          Thread.currentThread().interrupt();
          waiters.publishStable(execution.parks.size());
        };
    assertThat(waiters.awaitForced(5, null, 0, 5, SECOND)).isTrue();
    assertThat(execution.parks).hasSize(5);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aWaitForARingEndsWhenTheRingIsForcedAndItsDependencyStable() {
    List<Long> states = new ArrayList<>();
    execution.onPark =
        () -> {
          switch (execution.parks.size()) {
            case 1 -> waiters.publishStable(9);
            case 2 -> ring.publishForced(63);
            default -> ring.publishForced(64);
          }
          states.add(ring.forcedPosition());
        };
    assertThat(waiters.awaitForced(20, ring, 64, 9, SECOND)).isTrue();
    assertThat(states).containsExactly(0L, 63L, 64L);
  }

  @Test
  void aListenerIsToldWhenItsLsnIsStable() {
    assertThat(waiters.whenForced(null, 0, 5, told::add)).isTrue();
    assertThat(waiters.isAnyoneParked()).isTrue();
    assertThat(waiters.arrived()).isEqualTo(1);
    assertThat(waiters.publishStable(4)).isZero();
    assertThat(waiters.arrived()).isZero();
    assertThat(waiters.isAnyoneParked()).isTrue();
    assertThat(waiters.count()).isEqualTo(1);
    assertThat(told).isEmpty();
    assertThat(waiters.publishStable(5)).isEqualTo(1);
    assertThat(told).containsExactly(true);
    assertThat(waiters.isAnyoneParked()).isFalse();
    assertThat(waiters.publishStable(6)).isZero();
    assertThat(told).hasSize(1);
  }

  @Test
  void aListenerOfWhatIsStableAlreadyIsToldAtOnce() {
    words.setLong(CommitWords.STABLE, 5);
    assertThat(waiters.whenForced(null, 0, 5, told::add)).isTrue();
    assertThat(told).containsExactly(true);
    ring.publishForced(64);
    assertThat(waiters.whenForced(ring, 64, 5, told::add)).isTrue();
    assertThat(told).containsExactly(true, true);
  }

  @Test
  void aListenerIsToldWhenTheLogStops() {
    assertThat(waiters.whenForced(null, 0, 5, told::add)).isTrue();
    assertThat(waiters.whenForced(ring, 8, 0, told::add)).isTrue();
    waiters.stop();
    assertThat(waiters.publishStable(4)).isEqualTo(2);
    assertThat(told).containsExactly(false, false);
    assertThat(waiters.whenForced(null, 0, 5, told::add)).isTrue();
    assertThat(told).containsExactly(false, false, false);
  }

  @Test
  void manyListenersAreToldEachAfterItsOwnLsn() {
    for (int lsn = 1; lsn <= 300; lsn++) {
      assertThat(waiters.whenForced(null, 0, lsn, told::add)).isTrue();
    }
    assertThat(waiters.publishStable(100)).isEqualTo(100);
    assertThat(told).hasSize(100);
    assertThat(waiters.count()).isEqualTo(200);
    assertThat(waiters.publishStable(299)).isEqualTo(199);
    assertThat(waiters.publishStable(300)).isEqualTo(1);
    assertThat(told).hasSize(300).containsOnly(true);
    assertThat(waiters.hasUnreleased()).isFalse();
  }

  @Test
  void aFullQueueRefusesListenersAndLetsThreadsPollAndAskForAForce() {
    int accepted = 0;
    while (waiters.whenForced(null, 0, 1_000_000, told::add)) {
      accepted++;
    }
    assertThat(accepted).isEqualTo(1 << 14);
    assertThat(waiters.whenForced(ring, 8, 0, told::add)).isFalse();
    execution.onPark =
        () -> {
          assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(9);
          if (execution.parks.size() == 3) {
            words.setLong(CommitWords.STABLE, 9);
          }
        };
    assertThat(waiters.awaitForced(9, null, 0, 9, SECOND)).isTrue();
    assertThat(execution.parks).containsExactly(100_000L, 100_000L, 100_000L);
  }

  @Test
  void anAskForAnEarlierForceDoesNotTakeALaterOneBack() {
    while (waiters.whenForced(null, 0, 1_000_000, told::add)) {
      assertThat(told).isEmpty();
    }
    words.setLong(CommitWords.REQUESTED, 20);
    assertThat(waiters.awaitForced(9, null, 0, 9, 100_000)).isFalse();
    assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(20);
  }

  @Test
  void anAlertMakesEveryWaitingThreadLookOnce() {
    assertThat(waiters.whenForced(null, 0, 5, told::add)).isTrue();
    execution.onPark =
        () -> {
          if (execution.parks.size() <= 2) {
            waiters.alert();
          }
        };
    assertThat(waiters.awaitForced(7, null, 0, 7, SECOND)).isFalse();
    assertThat(execution.unparked).containsExactly(Thread.currentThread());
    assertThat(told).isEmpty();
  }

  /** As long as a force hangs, nobody publishes: only looks can drop those that have gone. */
  @Test
  void waitersWhoseTimeoutIsOverDoNotPileUpWhileAForceHangs() {
    assertThat(waiters.whenForced(null, 0, 7, told::add)).isTrue();
    for (int look = 0; look < 3; look++) {
      for (int i = 0; i < 100; i++) {
        assertThat(waiters.awaitForced(7, null, 0, 7, 1)).isFalse();
      }
      waiters.alert();
      assertThat(waiters.count()).as("the listener").isEqualTo(1);
    }
    assertThat(waiters.publishStable(7)).isEqualTo(1);
    assertThat(told).containsExactly(true);
  }

  @Test
  void aWaiterWakesTheFlusherOnceAsManyWaitAsItGathers() {
    Thread flusher = new Thread(() -> {});
    doorbell.flusherIs(flusher);
    words.setLong(CommitWords.PARKED, 2);
    assertThat(waiters.whenForced(null, 0, 5, told::add)).isTrue();
    assertThat(execution.unparked).isEmpty();
    assertThat(waiters.awaitForced(7, null, 0, 7, 1)).isFalse();
    assertThat(execution.unparked).containsExactly(flusher);
  }

  /**
   * The stall detector may take an entry from the queue before its thread has woken the flusher.
   */
  @Test
  void anEntryThatIsNoLongerInTheQueueWakesTheFlusherToo() {
    Thread flusher = new Thread(() -> {});
    doorbell.flusherIs(flusher);
    words.setLong(CommitWords.PARKED, 1);
    waiters.wakeFlusher();
    assertThat(execution.unparked).containsExactly(flusher);
  }

  @Test
  void aThreadSpinsForItsForceIfItIsAlone() {
    execution.processors = 4;
    StabilityWaiters spinning = new StabilityWaiters(words, execution, doorbell, 50_000);
    long started = execution.nanos;
    assertThat(spinning.awaitForced(7, null, 0, 7, 20_000)).isFalse();
    assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(7);
    assertThat(words.getLong(CommitWords.SPINNER)).isZero();
    assertThat(execution.nanos - started).isGreaterThanOrEqualTo(20_000);

    words.setLong(CommitWords.SPINNER, 1); // another thread spins
    int parks = execution.parks.size();
    assertThat(spinning.awaitForced(8, null, 0, 8, 20_000)).isFalse();
    assertThat(execution.parks.subList(parks, execution.parks.size())).containsExactly(20_000L);
    assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(7);
    assertThat(words.getLong(CommitWords.SPINNER)).isEqualTo(1);
    assertThat(spinning.count()).isGreaterThanOrEqualTo(1);
  }

  @Test
  void aListenerWakesTheFlusherAndSoDoesAThreadThatFindsTheQueueFull() {
    Thread flusher = new Thread(() -> {});
    doorbell.flusherIs(flusher);
    words.setLong(CommitWords.PARKED, 1);
    assertThat(waiters.whenForced(null, 0, 1_000_000, told::add)).isTrue();
    assertThat(execution.unparked).containsExactly(flusher);
    while (waiters.whenForced(null, 0, 1_000_000, told::add)) {
      assertThat(told).isEmpty();
    }
    words.setLong(CommitWords.PARKED, (1 << 14) + 1);
    assertThat(waiters.awaitForced(9, null, 0, 9, 1)).isFalse();
    assertThat(execution.unparked).containsExactly(flusher, flusher);
  }

  @Test
  void aListenerForWhichThereWasNoMemoryIsToldInTheNextRound() {
    int[] calls = {0};
    assertThat(
            waiters.whenForced(
                null,
                0,
                5,
                stable -> {
                  if (++calls[0] == 1) {
                    throw new OutOfMemoryError("on purpose");
                  }
                  told.add(stable);
                }))
        .isTrue();
    assertThat(waiters.publishStable(5)).isZero();
    assertThat(waiters.hasUnreleased()).isTrue();
    assertThat(waiters.publishStable(5)).isEqualTo(1);
    assertThat(waiters.hasUnreleased()).isFalse();
    assertThat(told).containsExactly(true);
  }

  @Test
  void aSpinningThreadReturnsAsSoonAsItsForceIsDone() {
    execution.processors = 4;
    StabilityWaiters spinning = new StabilityWaiters(words, execution, doorbell, 50_000);
    long started = execution.nanos;
    execution.onSpin =
        () -> {
          assertThat(words.getLong(CommitWords.SPINNER)).isEqualTo(1);
          if (execution.nanos - started >= 40_000) {
            words.setLong(CommitWords.STABLE, 7);
          }
        };
    assertThat(spinning.awaitForced(7, null, 0, 7, SECOND)).isTrue();
    assertThat(execution.nanos - started).isEqualTo(40_000);
    assertThat(words.getLong(CommitWords.SPINNER)).isZero();
    assertThat(execution.parks).isEmpty();

    execution.onSpin = () -> {};
    execution.onPark = () -> spinning.publishStable(8);
    long again = execution.nanos;
    assertThat(spinning.awaitForced(8, null, 0, 8, SECOND)).isTrue();
    assertThat(execution.nanos - again).isBetween(50_000L, 50_400L + SECOND / 10);
  }

  @Test
  void onTwoProcessorsAThreadStopsSpinningWhenAnotherOneCommits() {
    for (int processors : new int[] {2, 3}) {
      execution.processors = processors;
      StabilityWaiters spinning = new StabilityWaiters(words, execution, doorbell, 50_000);
      long started = execution.nanos;
      long[] stopped = {0};
      execution.onSpin = () -> words.setLong(CommitWords.CLOCK, execution.nanos);
      execution.onPark = () -> stopped[0] = execution.nanos - started;
      assertThat(spinning.awaitForced(7, null, 0, 7, 200_000)).isFalse();
      long spun = stopped[0] - execution.parks.getLast();
      if (processors == 2) {
        assertThat(spun).isEqualTo(320);
      } else {
        assertThat(spun).isGreaterThanOrEqualTo(50_000);
      }
      assertThat(words.getLong(CommitWords.SPINNER)).isZero();
    }
  }

  @Test
  void noThreadSpinsOnOneProcessorOrInCompany() {
    execution.onSpin =
        () -> {
          throw new IllegalStateException("spins");
        };
    StabilityWaiters alone = new StabilityWaiters(words, execution, doorbell, 50_000);
    assertThat(alone.awaitForced(7, null, 0, 7, 1000)).isFalse();

    execution.processors = 4;
    StabilityWaiters company = new StabilityWaiters(words, execution, doorbell, 50_000);
    assertThat(company.whenForced(null, 0, 7, told::add)).isTrue(); // in the queue
    assertThat(company.awaitForced(7, null, 0, 7, 1000)).isFalse();
    assertThat(company.publishStable(1)).isEqualTo(1);
    assertThat(company.whenForced(null, 0, 7, told::add)).isTrue();
    assertThat(company.publishStable(1)).isZero(); // two in this round
    assertThat(company.awaitForced(7, null, 0, 7, 1000)).isFalse();
  }

  private static void inVirtualThread(Runnable body) {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread thread = Thread.ofVirtual().unstarted(body);
    thread.setUncaughtExceptionHandler((_, e) -> failure.set(e));
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    assertThat(failure.get()).isNull();
  }

  @Test
  void manyVirtualThreadsAreWokenTogether() {
    execution.processors = 3;
    StabilityWaiters many = new StabilityWaiters(words, execution, doorbell, 0);
    for (int i = 0; i < 200; i++) {
      inVirtualThread(() -> assertThat(many.awaitForced(7, null, 0, 7, 1)).isFalse());
    }
    assertThat(many.publishStable(7)).isEqualTo(200);
    assertThat(execution.unparked).hasSize(200).doesNotHaveDuplicates();
    inVirtualThread(() -> assertThat(many.awaitForced(8, null, 0, 8, 1)).isFalse());
    assertThat(many.publishStable(8)).isEqualTo(1);
    assertThat(execution.unparked).hasSize(201).doesNotHaveDuplicates();
  }

  @Test
  void aVirtualThreadSetsNoTimerUntilTheLogStalls() {
    execution.onPark =
        () -> {
          if (execution.parks.size() == 1000) {
            waiters.alert();
          }
        };
    inVirtualThread(() -> assertThat(waiters.awaitForced(7, null, 0, 7, 6 * SECOND)).isFalse());
    assertThat(execution.parks).hasSize(1060);
  }

  @Test
  void withoutMemoryAThreadPollsUntilItsForceItsTimeoutOrTheEndOfTheLog() {
    execution.lacksMemory = true;
    execution.onYield =
        () -> {
          assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(7);
          if (execution.yields == 50) {
            waiters.publishStable(7);
          }
        };
    inVirtualThread(() -> assertThat(waiters.awaitForced(7, null, 0, 7, Long.MAX_VALUE)).isTrue());
    assertThat(execution.yields).isEqualTo(50);

    execution.onYield = () -> {};
    inVirtualThread(() -> assertThat(waiters.awaitForced(8, null, 0, 8, 1000)).isFalse());
    assertThat(execution.yields).isEqualTo(60);

    execution.onYield = () -> ring.publishForced(64);
    inVirtualThread(() -> assertThat(waiters.awaitForced(8, ring, 64, 7, SECOND)).isTrue());
    assertThat(execution.yields).isEqualTo(61);
    inVirtualThread(() -> assertThat(waiters.awaitForced(9, ring, 65, 7, 200)).isFalse());
    assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(9);

    waiters.stop();
    inVirtualThread(() -> assertThat(waiters.awaitForced(8, null, 0, 8, Long.MAX_VALUE)).isFalse());
  }
}

package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.TransactionTimeoutException;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When transactions end that take too long, with a clock that the test moves. */
final class TimeLimitsTest {

  private static final long MILLI = 1_000_000;
  private static final String THREAD = "howdah-limits";

  private final HandClock clock = new HandClock();
  private final TimeLimits limits = new TimeLimits(clock);
  private int expired;

  /** Ends the thread of the limits, in the test's own thread. */
  private static final class Enough extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private void runThread() {
    Objects.requireNonNull(clock.bodies.get(THREAD), THREAD).run();
  }

  /** Runs the thread of the limits until it has parked a number of times. */
  private void run(int parks) {
    clock.parks.clear();
    clock.onPark =
        () -> {
          if (clock.parks.size() == parks) {
            throw new Enough();
          }
        };
    assertThatThrownBy(this::runThread).isInstanceOf(Enough.class);
    clock.onPark = () -> {};
  }

  @Test
  void timeoutsAreCountedInNanosecondsAsLongAsTheyCanBe() {
    assertThat(TimeLimits.nanos(Duration.ofNanos(-1))).isZero();
    assertThat(TimeLimits.nanos(Duration.ZERO)).isZero();
    assertThat(TimeLimits.nanos(Duration.ofNanos(1))).isEqualTo(1);
    long most = Long.MAX_VALUE / 1_000_000_000;
    assertThat(TimeLimits.nanos(Duration.ofSeconds(most - 1)))
        .isEqualTo((most - 1) * 1_000_000_000);
    assertThat(TimeLimits.nanos(Duration.ofSeconds(most))).isEqualTo(Long.MAX_VALUE);
    assertThat(TimeLimits.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aHandleBecomesUnusableWhenItsLimitIsOver() {
    TimeLimits.Limit limit = limits.begin(5 * MILLI);
    limit.guard(_ -> expired++);
    run(4);
    assertThat(clock.parks)
        .as("looks every 2 ms while there is a limit, else every 5 s")
        .containsExactly(2 * MILLI, 2 * MILLI, 2 * MILLI, 5_000 * MILLI);
    assertThat(expired).isEqualTo(1);
    limit.guard(_ -> expired += 10);
    assertThat(expired).as("a handle that comes too late, too").isEqualTo(11);
  }

  /** Else the first limit after a pause would be noticed up to 5 s late. */
  @Test
  void aLimitWakesTheThreadIfThatSleepsLong() {
    limits.end(limits.begin(MILLI)); // starts the thread
    clock.onPark =
        () -> {
          if (clock.parks.size() == 1) {
            limits.begin(5 * MILLI);
          } else if (clock.parks.size() == 3) {
            limits.begin(5 * MILLI); // looks every 2 ms already
          } else if (clock.parks.size() == 4) {
            throw new Enough();
          }
        };
    assertThatThrownBy(this::runThread).isInstanceOf(Enough.class);
    assertThat(clock.parks).containsExactly(5_000 * MILLI, 2 * MILLI, 2 * MILLI, 2 * MILLI);
    assertThat(clock.unparked).hasSize(1);
  }

  @Test
  void aLimitThatHasEndedExpiresNothing() {
    TimeLimits.Limit limit = limits.begin(MILLI);
    limit.guard(_ -> expired++);
    limits.end(limit);
    run(3);
    assertThat(clock.parks).containsOnly(5_000 * MILLI);
    limit.guard(_ -> expired++);
    assertThat(expired).isZero();
  }

  @Test
  void aLimitIsOverAtItsDeadlineAndNotBefore() {
    TimeLimits.Limit limit = limits.begin(7 * MILLI);
    assertThat(limit.nanos()).isEqualTo(7 * MILLI);
    clock.nanos += 7 * MILLI - 1;
    assertThat(limit.leftNanos()).isEqualTo(1);
    assertThat(limit.isOver()).isFalse();
    limit.failIfOver();
    clock.nanos++;
    assertThat(limit.isOver()).isTrue();
    assertThatThrownBy(limit::failIfOver)
        .isInstanceOf(TransactionTimeoutException.class)
        .hasMessageContaining("within 7 ms");
    run(1);
    assertThat(clock.parks).as("it is over for the thread, too").containsExactly(5_000 * MILLI);
  }

  @Test
  void theThreadIsStartedOnceAndAgainIfThatFailed() {
    clock.lacksMemory = true;
    assertThatThrownBy(() -> limits.begin(MILLI)).isInstanceOf(OutOfMemoryError.class);
    limits.close();
    assertThat(clock.parks).as("a close that has no thread to wait for").isEmpty();
    clock.lacksMemory = false;
    limits.begin(MILLI);
    assertThat(clock.bodies).containsOnlyKeys(THREAD);
    clock.bodies.clear();
    limits.begin(MILLI);
    assertThat(clock.bodies).isEmpty();
  }

  @Test
  void aCloseWaitsUntilTheThreadHasEnded() {
    limits.begin(MILLI);
    clock.onPark =
        () -> {
          if (clock.parks.size() == 3) {
            runThread();
          }
        };
    limits.close();
    assertThat(clock.parks).hasSize(3);
    assertThat(clock.unparked).hasSize(3).containsOnly(Thread.currentThread());
  }
}

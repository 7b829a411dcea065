package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The times of a clock that is moved, to the millisecond. */
final class ExpiryClockTest {

  private static final long START = SettableClock.START;
  private static final long MINUTE = 60_000;

  private final AtomicLong millis = new AtomicLong(START);
  private final InstantSource source = () -> Instant.ofEpochMilli(millis.get());
  private final ExpiryClock clock = new ExpiryClock(source);

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 8).withPartitions(1));

  @AfterEach
  void close() {
    store.close();
  }

  private long inTransaction(ToLongFunction<Words> body) {
    return store.call(tx -> body.applyAsLong(TxHandle.of(tx).words()));
  }

  private long now() {
    return inTransaction(clock::now);
  }

  private void horizon(long at) {
    store.run(tx -> TxHandle.of(tx).words().putUnchecked(RegionHeaderLayout.HORIZON_ADDRESS, at));
  }

  private long readAt(long at) {
    millis.set(at);
    return clock.read();
  }

  @Test
  void aClockStandsStillForAMinuteAtMost() {
    assertThat(readAt(START)).isEqualTo(START);
    assertThat(readAt(START - 1)).isEqualTo(START);
    assertThat(readAt(START - MINUTE)).isEqualTo(START);
    assertThat(readAt(START + 1)).isEqualTo(START + 1);
    assertThat(readAt(START - MINUTE)).isEqualTo(START - MINUTE);
    assertThat(readAt(START)).isEqualTo(START);
  }

  @Test
  void thereIsNoTimeBefore1() {
    assertThat(readAt(5)).isEqualTo(5);
    assertThat(readAt(0)).as("a little before").isEqualTo(5);
    ExpiryClock other = new ExpiryClock(source);
    assertThat(other.read()).isEqualTo(1);
    millis.set(Long.MIN_VALUE);
    assertThat(other.read()).isEqualTo(1);
    assertThat(new ExpiryClock(source).read()).isEqualTo(1);
  }

  @Test
  void anAttemptHasOneTime() {
    long difference =
        inTransaction(
            words -> {
              long first = clock.now(words);
              millis.addAndGet(10);
              return clock.now(words) - first;
            });
    assertThat(difference).isZero();
    assertThat(now()).isEqualTo(START + 10);
  }

  @Test
  void anAttemptIsNotBeforeTheHorizonUnlessThatIsFarAhead() {
    horizon(START + MINUTE);
    assertThat(now()).isEqualTo(START + MINUTE);
    horizon(START + MINUTE + 1);
    assertThat(now()).isEqualTo(START);
    horizon(START + 1);
    assertThat(now()).isEqualTo(START + 1);
    horizon(START);
    assertThat(now()).isEqualTo(START);
    horizon(START - 1);
    assertThat(now()).isEqualTo(START);
  }

  @Test
  void theHorizonMovesToTheTimeOfTheAttempt() {
    assertThat(inTransaction(clock::moveHorizon)).isEqualTo(START);
    assertThat(storedHorizon()).isEqualTo(START);
    millis.addAndGet(-3 * MINUTE);
    assertThat(inTransaction(clock::moveHorizon)).isEqualTo(START - 3 * MINUTE);
    assertThat(storedHorizon()).isEqualTo(START - 3 * MINUTE);
  }

  private long storedHorizon() {
    return inTransaction(words -> words.getUnchecked(RegionHeaderLayout.HORIZON_ADDRESS));
  }

  private boolean isPast(long at) {
    return inTransaction(words -> clock.isPast(words, at) ? 1 : 0) == 1;
  }

  private boolean isReclaimable(long at) {
    return inTransaction(words -> clock.isReclaimable(words, at) ? 1 : 0) == 1;
  }

  @Test
  void anEntryHasExpiredAtItsTime() {
    assertThat(isPast(ExpiryClock.NEVER)).isFalse();
    assertThat(isPast(START - 1)).isTrue();
    assertThat(isPast(START)).isTrue();
    assertThat(isPast(START + 1)).isFalse();
  }

  @Test
  void whatHasExpiredIsReclaimedUpToTheHorizon() {
    horizon(START - 5);
    assertThat(isReclaimable(ExpiryClock.NEVER)).isFalse();
    assertThat(isReclaimable(START - 5)).isTrue();
    assertThat(isReclaimable(START - 4)).isFalse();
    horizon(START + 2 * MINUTE); // of a time to which the clock does not come
    assertThat(isReclaimable(START)).isTrue();
    assertThat(isReclaimable(START + 1)).isFalse();
  }

  @Test
  void theStampOfAMoment() {
    assertThat(ExpiryClock.at(Instant.ofEpochMilli(7))).isEqualTo(7);
    assertThat(ExpiryClock.at(Instant.ofEpochSecond(0, 1_999_999))).isEqualTo(1);
    assertThat(ExpiryClock.at(Instant.EPOCH)).isEqualTo(1);
    assertThat(ExpiryClock.at(Instant.ofEpochMilli(-7))).isEqualTo(1);
    assertThat(ExpiryClock.at(Instant.MIN)).isEqualTo(1);
    assertThat(ExpiryClock.at(Instant.ofEpochMilli(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
    assertThat(ExpiryClock.at(Instant.MAX)).isEqualTo(ExpiryClock.NEVER);
  }

  private long after(Duration duration) {
    return inTransaction(words -> clock.after(words, duration));
  }

  @Test
  void aDurationIsRoundedUp() {
    assertThat(after(Duration.ofNanos(1))).isEqualTo(START + 1);
    assertThat(after(Duration.ofMillis(1))).isEqualTo(START + 1);
    assertThat(after(Duration.ofMillis(1).plusNanos(1))).isEqualTo(START + 2);
    assertThat(after(Duration.ofMillis(Long.MAX_VALUE - START))).isEqualTo(Long.MAX_VALUE);
    assertThat(after(Duration.ofMillis(Long.MAX_VALUE - START + 1))).isEqualTo(ExpiryClock.NEVER);
    assertThat(after(Duration.ofMillis(Long.MAX_VALUE))).isEqualTo(ExpiryClock.NEVER);
    assertThat(after(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(ExpiryClock.NEVER);
    for (Duration none : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
      assertThatThrownBy(() -> after(none))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not " + none);
    }
  }
}

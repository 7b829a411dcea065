package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecLocks;
import io.howdah.txn.words.RetryLimit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How transactions wait for a change, with a clock that the test moves. */
final class RetryWaitsTest {

  private static final long MILLI = 1_000_000;

  /** A word whose orec is in another bucket than that of the first words. */
  private static final long FAR = WORD + 4096;

  private final SmallEngine engine = new SmallEngine();
  private final HandClock clock = engine.clock;

  @AfterEach
  void close() {
    boolean isInterrupted = Thread.interrupted(); // not for the next test
    engine.close();
    assertThat(isInterrupted).isFalse();
  }

  /** Does something at one of the parks to come. */
  private void atPark(int number, Runnable action) {
    clock.onPark =
        () -> {
          if (clock.parks.size() == number) {
            action.run();
          }
        };
  }

  private static long awaitPositive(Tx tx) {
    long value = tx.getLong(WORD);
    if (value <= 0) {
      throw tx.retry();
    }
    return value;
  }

  private void assertNoWaiters() {
    assertThat(engine.retryWaits.hasWaiters()).isFalse();
    clock.unparked.clear();
    engine.put(WORD, 99);
    OrecLocks locks = new OrecLocks(engine.environment.orecs());
    locks.clear(1);
    locks.prepare(engine.environment.orecs().of(WORD), 0);
    locks.confirm();
    engine.retryWaits.changed(locks);
    assertThat(clock.unparked).as("nobody is left in a bucket").isEmpty();
  }

  @Test
  void aWaiterLooksByItselfAfterIntervalsThatGrow() {
    atPark(11, () -> engine.put(WORD, 7));
    assertThat((long) engine.call(RetryWaitsTest::awaitPositive)).isEqualTo(7);
    assertThat(clock.parks)
        .containsExactly(
            5 * MILLI,
            10 * MILLI,
            20 * MILLI,
            40 * MILLI,
            80 * MILLI,
            160 * MILLI,
            320 * MILLI,
            640 * MILLI,
            1000 * MILLI,
            1000 * MILLI,
            1000 * MILLI);
    assertThat(engine.count(Counters.RETRIES)).isEqualTo(1);
    assertThat(clock.unparked).containsExactly(Thread.currentThread());
    assertNoWaiters();
  }

  @Test
  void aChangeOfAnotherWordWakesNoWaiter() {
    assertThat(engine.environment.orecs().of(FAR))
        .isNotEqualTo(engine.environment.orecs().of(WORD));
    atPark(
        1,
        () -> {
          assertThat(engine.retryWaits.hasWaiters()).isTrue();
          engine.put(FAR, 1);
          assertThat(clock.unparked).isEmpty();
          engine.put(WORD, 3);
          engine.put(WORD, 4);
          assertThat(clock.unparked).as("woken once").hasSize(1);
        });
    assertThat((long) engine.call(RetryWaitsTest::awaitPositive)).isEqualTo(4);
    assertNoWaiters();
  }

  /** It has read from more than 64 buckets, so it waits for any change. */
  @Test
  void aWaiterThatHasReadMuchIsWokenByEachChange() {
    for (int words : new int[] {64, 65}) {
      clock.parks.clear();
      clock.unparked.clear();
      boolean[] isChanged = {false};
      atPark(
          1,
          () -> {
            engine.put(WORD + 4096 * 40, 1);
            assertThat(clock.unparked).hasSize(words == 64 ? 0 : 1);
            isChanged[0] = true;
            engine.put(WORD, 1);
          });
      engine.call(
          tx -> {
            for (int i = 0; i < words; i++) {
              tx.getLong(WORD + 32L * i);
            }
            return isChanged[0] ? 0 : tx.retry();
          });
      assertThat(clock.parks).hasSize(1);
      assertNoWaiters();
    }
  }

  @Test
  void aWaitEndsWithTheTransactionsLimit() {
    assertThatThrownBy(
            () ->
                engine.call(
                    TxOptions.defaults().withTimeLimit(Duration.ofMillis(12)),
                    RetryWaitsTest::awaitPositive))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(clock.parks).containsExactly(5 * MILLI, 7 * MILLI);
    assertNoWaiters();
  }

  @Test
  void aWaitEndsWhenTheStoreCloses() {
    atPark(
        2,
        () -> {
          engine.lifecycle.startClosing();
          assertThat(clock.unparked).containsExactly(Thread.currentThread());
        });
    assertThatThrownBy(() -> engine.call(RetryWaitsTest::awaitPositive))
        .isInstanceOf(StoreClosedException.class);
    assertThat(engine.retryWaits.hasWaiters()).isFalse();
  }

  /** The body runs again when the time is over, and may then do something else. */
  @Test
  void aRetryWithATimeWaitsNoLonger() {
    int[] runs = {0};
    engine.call(
        tx -> {
          tx.getLong(WORD);
          return runs[0]++ == 0 ? tx.retry(Duration.ofMillis(12)) : 0;
        });
    assertThat(clock.parks).containsExactly(5 * MILLI, 7 * MILLI);
    assertNoWaiters();
  }

  @Test
  void anInterruptedWaiterParksForLongAndStaysInterrupted() {
    atPark(
        4,
        () -> {
          engine.put(WORD, 7);
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    Thread.currentThread().interrupt();
    engine.call(RetryWaitsTest::awaitPositive);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parks).containsExactly(1L, 5 * MILLI, 1L, 10 * MILLI);
    assertNoWaiters();
  }

  /** The short park that an interrupt needs has taken the permit of the wake-up. */
  @Test
  void anInterruptedWaiterThatIsWokenDuringTheShortParkDoesNotParkForLong() {
    atPark(1, () -> engine.put(WORD, 7));
    Thread.currentThread().interrupt();
    engine.call(RetryWaitsTest::awaitPositive);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parks).containsExactly(1L);
  }

  /** The interrupt does not end the wait, but its permit would end one park. */
  @Test
  void anInterruptedWaiterWithATimeParksForLong() {
    int[] runs = {0};
    Thread.currentThread().interrupt();
    engine.call(
        tx -> {
          tx.getLong(WORD);
          return runs[0]++ == 0 ? tx.retry(Duration.ofMillis(5)) : 0;
        });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parks).containsExactly(1L, 5 * MILLI);
  }

  @Test
  void aCommitThatChangesMoreThanThereAreBucketsWakesAll() {
    OrecLocks locks = new OrecLocks(engine.environment.orecs());
    locks.clear(1 << 12);
    for (int i = 0; i < 1 << 12; i++) {
      locks.prepare(0, 0);
      locks.confirm();
    }
    atPark(
        1,
        () -> {
          engine.retryWaits.changed(locks);
          assertThat(clock.unparked).hasSize(1);
          engine.put(WORD, 1);
        });
    assertThat((long) engine.call(RetryWaitsTest::awaitPositive)).isEqualTo(1);
  }

  @Test
  void anInterruptEndsTheWaitOfALimitThatSaysSo() {
    atPark(1, () -> Thread.currentThread().interrupt());
    int[] runs = {0};
    engine.call(
        tx -> {
          tx.getLong(WORD);
          return runs[0]++ == 0
              ? ((TxHandle) tx).retry(new RetryLimit(clock, Long.MAX_VALUE, true))
              : 0;
        });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.parks).as("one park, and none for the interrupt").containsExactly(5 * MILLI);
  }

  @Test
  void limitsOfWaits() {
    RetryLimit none = new RetryLimit(clock, Long.MAX_VALUE, false);
    RetryLimit past = new RetryLimit(clock, -1, false);
    RetryLimit ten = new RetryLimit(clock, 10, true);
    RetryLimit alsoTen = new RetryLimit(clock, 10, false);
    assertThat(past.isTimeOver()).isTrue();
    assertThat(past.isOver()).isTrue();
    assertThat(past.park(5)).as("a park is 1 ns at least").isEqualTo(1);
    assertThat(none.park(5)).isEqualTo(5);
    assertThat(ten.park(50)).isEqualTo(10);
    assertThat(ten.sooner(alsoTen)).isSameAs(ten);
    for (RetryLimit later : List.of(none, ten)) {
      assertThat(past.sooner(later)).isSameAs(past);
      assertThat(later.sooner(past)).isSameAs(past);
    }
    clock.nanos += 9;
    assertThat(ten.isTimeOver()).isFalse();
    assertThat(ten.isOver()).isFalse();
    clock.nanos++;
    assertThat(ten.isTimeOver()).isTrue();
    clock.nanos = Long.MAX_VALUE;
    assertThat(none.isOver()).isFalse();
    Thread.currentThread().interrupt();
    RetryLimit open = new RetryLimit(clock, 10, true);
    assertThat(open.isOver()).isTrue();
    assertThat(open.isTimeOver()).isFalse();
    assertThat(none.isOver()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }
}

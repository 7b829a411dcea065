package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.RetryException;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.UnfinishedOperationException;
import io.howdah.txn.words.Counters;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often a body runs, what each end of it counts, and that nothing stays taken. */
final class TxRunnerTest {

  private static final TxOptions ALONE = TxOptions.defaults().withIrrevocable();
  private static final long OTHER = WORD + 4096;

  private final SmallEngine engine = new SmallEngine();
  private int runs;

  @AfterEach
  void close() {
    assertThat(engine.gate.isClosed()).isFalse();
    assertThat(engine.lanes.isIdle()).isTrue();
    engine.close();
  }

  private long aborts(AbortCause cause) {
    return engine.count(Counters.of(cause));
  }

  /** Reads a word, changes it in another transaction, and writes: this attempt loses. */
  private long lose(Tx tx) {
    long seen = tx.getLong(WORD);
    engine.put(WORD, seen + 1);
    tx.putLong(WORD, seen + 100);
    return seen;
  }

  @Test
  void afterSomeAbortsTheBodyRunsAlone() {
    engine.call(
        tx -> {
          runs++;
          assertThat(engine.gate.isClosed()).isEqualTo(runs == 4);
          return runs < 4 ? lose(tx) : 0;
        });
    assertThat(runs).isEqualTo(4);
    assertThat(engine.count(Counters.IRREVOCABLE)).isEqualTo(1);
    assertThat(aborts(AbortCause.VALIDATION)).isEqualTo(3);
    assertThat(engine.count(Counters.COMMITS)).isEqualTo(3);
    assertThat(engine.count(Counters.READ_ONLY_COMMITS)).isEqualTo(1);
    assertThat(engine.clock.spins).as("spun after two aborts").isEqualTo(2 * Backoff.MAX_SPINS);
    assertThat(engine.clock.yields).as("yielded after the third").isEqualTo(1);
  }

  /** A change must be possible while it waits, and it begins to count anew. */
  @Test
  void aBodyThatRetriesAfterItRanAloneLetsOthersCommit() {
    engine.clock.onPark =
        () -> {
          assertThat(engine.gate.isClosed()).isFalse();
          engine.put(OTHER, 1);
        };
    engine.call(
        tx -> {
          runs++;
          if (runs == 4) {
            assertThat(engine.gate.isClosed()).isTrue();
            return tx.getLong(OTHER) == 0 ? tx.retry() : 0;
          }
          assertThat(engine.gate.isClosed()).isEqualTo(runs == 8);
          return runs < 8 ? lose(tx) : 0;
        });
    assertThat(runs).isEqualTo(8);
    assertThat(engine.count(Counters.IRREVOCABLE)).isEqualTo(2);
    assertThat(engine.count(Counters.RETRIES)).isEqualTo(1);
  }

  @Test
  void anIrrevocableBodyRunsOnceAndSharesItsGate() {
    engine.call(
        ALONE,
        tx -> {
          runs++;
          assertThat(engine.gate.isClosed()).isTrue();
          engine.call(ALONE, inner -> lock(inner, OTHER, 5));
          assertThat(engine.gate.isClosed()).as("after the inner one").isTrue();
          return lock(tx, WORD, 7);
        });
    assertThat(runs).isEqualTo(1);
    assertThat(engine.get(WORD)).isEqualTo(7);
    assertThat(engine.get(OTHER)).isEqualTo(5);
    assertThat(engine.count(Counters.IRREVOCABLE)).as("turns").isEqualTo(1);
  }

  private static long lock(Tx tx, long address, long value) {
    tx.putLong(address, value);
    return value;
  }

  @Test
  void anIrrevocableBodyThatItsOwnThreadHinders() {
    assertThatThrownBy(() -> engine.call(ALONE, this::lose))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("nest with tx.run or tx.call");
    assertThat(aborts(AbortCause.VALIDATION)).isEqualTo(1);
    assertThat(engine.get(WORD)).isEqualTo(1);
  }

  @Test
  void aRetryThatNothingCouldEndIsRefused() {
    assertThatThrownBy(() -> engine.call(ALONE, tx -> tx.getLong(WORD) == 0 ? tx.retry() : 0))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("an irrevocable transaction cannot retry");
    assertThatThrownBy(() -> engine.call(tx -> tx.retry()))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("has read nothing");
    assertThat(engine.count(Counters.RETRIES)).isZero();
    assertThat(aborts(AbortCause.EXCEPTION)).isEqualTo(2);
  }

  @Test
  void aTimeoutInRetryCountsOnce() {
    engine.clock.onPark = () -> engine.clock.nanos += 5_000_000;
    assertThatThrownBy(
            () ->
                engine.call(
                    TxOptions.defaults().withTimeLimit(Duration.ofMillis(5)),
                    tx -> tx.getLong(WORD) == 0 ? tx.retry() : 0))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(engine.count(Counters.RETRIES)).isEqualTo(1);
    assertThat(aborts(AbortCause.EXCEPTION)).isEqualTo(1);
  }

  /** The commit of a transaction without a body that has ended already, or is too late. */
  @Test
  void aCommitThatIsRefusedCounts() {
    Attempt attempt = engine.attempts.take();
    Tx tx = attempt.begin(false);
    assertThatThrownBy(() -> tx.abort("as asked")).isInstanceOf(TransactionAbortedException.class);
    assertThatThrownBy(() -> engine.runner.commit(attempt))
        .isInstanceOf(TransactionAbortedException.class);
    assertThat(aborts(AbortCause.EXPLICIT)).isEqualTo(1);
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    attempt.limit(limit);
    attempt.begin(false);
    engine.clock.nanos += 5_000_000;
    assertThatThrownBy(() -> engine.runner.commit(attempt))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(aborts(AbortCause.EXCEPTION)).isEqualTo(1);
    engine.limits.end(limit);
    attempt.limit(null);
    engine.attempts.give(attempt);
  }

  /** Not the exception counts, but that the attempt wants to wait. */
  @Test
  void aRetryThatTheBodySwallowsIsOne() {
    engine.clock.onPark = () -> engine.put(WORD, 1);
    engine.call(
        tx -> {
          runs++;
          if (tx.getLong(WORD) == 0) {
            try {
              throw tx.retry();
            } catch (RetryException e) {
              return 5;
            }
          }
          return 6;
        });
    assertThat(runs).isEqualTo(2);
    assertThatThrownBy(
            () ->
                engine.call(
                    tx -> {
                      tx.getLong(WORD);
                      throw new RetryException();
                    }))
        .as("one that no call of retry has thrown")
        .isInstanceOf(RetryException.class);
    assertThat(engine.count(Counters.RETRIES)).isEqualTo(1);
    assertThat(aborts(AbortCause.EXCEPTION)).isEqualTo(1);
  }

  @Test
  void anExceptionCountsAndLeavesNothing() {
    for (TxOptions how : new TxOptions[] {TxOptions.defaults(), ALONE}) {
      assertThatThrownBy(
              () ->
                  engine.call(
                      how,
                      tx -> {
                        tx.putLong(WORD, 1);
                        throw new AssertionError("by the test");
                      }))
          .isInstanceOf(AssertionError.class);
    }
    assertThat(aborts(AbortCause.EXCEPTION)).isEqualTo(2);
    assertThatThrownBy(() -> engine.call(tx -> tx.abort("as asked")))
        .isInstanceOf(TransactionAbortedException.class);
    assertThat(aborts(AbortCause.EXPLICIT)).isEqualTo(1);
    assertThat(engine.get(WORD)).isZero();
  }

  /** What led to the exception may never have been. */
  @Test
  void anExceptionAfterReadsThatHaveChangedRunsTheBodyAgain() {
    engine.call(
        tx -> {
          runs++;
          if (tx.getLong(WORD) == 0) {
            engine.put(WORD, 1);
            throw new IllegalArgumentException("by the test");
          }
          return 0;
        });
    assertThat(runs).isEqualTo(2);
    assertThat(aborts(AbortCause.VALIDATION)).isEqualTo(1);
    assertThat(aborts(AbortCause.EXCEPTION)).isZero();
  }

  @Test
  void anExceptionTellsWhatItRestsOn() {
    engine.put(OTHER, 1);
    engine.put(WORD, 1);
    engine.put(OTHER, 2);
    Attempt attempt = engine.attempts.take();
    assertThatThrownBy(
            () ->
                engine.runner.execute(
                    attempt,
                    TxOptions.defaults(),
                    tx -> {
                      tx.getLong(WORD);
                      throw new IllegalArgumentException("by the test");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(attempt.lsn()).as("of the newest commit that was read").isEqualTo(2);
    engine.attempts.give(attempt);
  }

  @Test
  void afterAFailureOfTheStoreABodyDoesNotRunAgain() {
    StoreFailedException thrown = new StoreFailedException("by the test");
    for (boolean isStopped : new boolean[] {false, true}) {
      runs = 0;
      engine.put(WORD, 0);
      assertThatThrownBy(
              () ->
                  engine.call(
                      tx -> {
                        runs++;
                        if (tx.getLong(WORD) == 0) {
                          engine.put(WORD, 1);
                        }
                        if (isStopped) {
                          engine.lifecycle.fail(new IllegalStateException("first"));
                        }
                        throw thrown;
                      }))
          .isSameAs(thrown);
      assertThat(runs).isEqualTo(isStopped ? 1 : 2);
    }
  }

  @Test
  void releasedMemoryIsAClosedStoreAndAnythingElseTheBodysOwn() {
    IllegalStateException own = new IllegalStateException("by the test");
    assertThatThrownBy(
            () ->
                engine.call(
                    tx -> {
                      throw own;
                    }))
        .isSameAs(own);
    assertThatThrownBy(
            () ->
                engine.call(
                    tx -> {
                      engine.lifecycle.stop();
                      throw own;
                    }))
        .isInstanceOf(StoreClosedException.class)
        .hasMessageContaining("the transaction had no effect")
        .hasCause(own);
    assertThatThrownBy(() -> engine.call(tx -> 0)).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void aTimeLimitIsLookedAtBeforeTheCommitAndBeforeTheNextAttempt() {
    TxOptions brief = TxOptions.defaults().withTimeLimit(Duration.ofMillis(5));
    assertThatThrownBy(
            () ->
                engine.call(
                    brief,
                    tx -> {
                      tx.putLong(WORD, 1);
                      engine.clock.nanos += 5_000_000;
                      return 0;
                    }))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(engine.get(WORD)).isZero();
    assertThatThrownBy(
            () ->
                engine.call(
                    brief,
                    tx -> {
                      runs++;
                      lose(tx);
                      engine.clock.onSpin = () -> engine.clock.nanos += 1_000_000;
                      return 0;
                    }))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(runs).isEqualTo(1);
  }

  /** Else its limit would take a handle away that belongs to a later transaction. */
  @Test
  void theLimitOfATransactionEndsWithIt() {
    engine.call(TxOptions.defaults().withTimeLimit(Duration.ofSeconds(1)), tx -> 0);
    assertThatThrownBy(
            () ->
                engine.call(
                    TxOptions.defaults().withTimeLimit(Duration.ofSeconds(1)),
                    tx -> tx.abort("as asked")))
        .isInstanceOf(TransactionAbortedException.class);
    engine.clock.onPark =
        () -> {
          throw new IllegalStateException("enough");
        };
    assertThatThrownBy(() -> engine.clock.bodies.values().forEach(Runnable::run))
        .hasMessage("enough");
    assertThat(engine.clock.parks).as("idle: no limit is left").containsExactly(5_000_000_000L);
  }

  @Test
  void anOperationThatIsNotFinishedKeepsAnAttemptFromItsCommit() {
    Attempt attempt = engine.attempts.take();
    assertThatThrownBy(
            () ->
                engine.runner.runOnce(
                    attempt,
                    () -> {
                      attempt.words.put(WORD, 1);
                      attempt.words.operations.begin();
                    }))
        .isInstanceOf(UnfinishedOperationException.class);
    assertThat(attempt.mustNotWait()).isFalse();
    assertThat(engine.get(WORD)).isZero();
    engine.attempts.give(attempt);
  }

  // ---- Transactions without a body, and attempts.

  @Test
  void aTransactionWithoutABodyLosesOnce() {
    Attempt attempt = engine.attempts.take();
    lose(attempt.begin(false));
    assertThatThrownBy(() -> engine.runner.commit(attempt)).isInstanceOf(ConflictException.class);
    assertThat(aborts(AbortCause.VALIDATION)).isEqualTo(1);
    Tx tx = attempt.begin(false);
    tx.putLong(OTHER, 4);
    engine.runner.commit(attempt);
    assertThatThrownBy(() -> tx.getLong(OTHER)).isInstanceOf(TransactionStateException.class);
    assertThat(engine.get(OTHER)).isEqualTo(4);
    Tx given = attempt.begin(false);
    given.putLong(OTHER, 5);
    engine.runner.abort(attempt);
    assertThatThrownBy(() -> given.getLong(OTHER)).isInstanceOf(TransactionStateException.class);
    assertThat(aborts(AbortCause.EXPLICIT)).isEqualTo(1);
    assertThat(engine.get(OTHER)).isEqualTo(4);
    attempt.begin(false);
    engine.lifecycle.stop();
    assertThatThrownBy(() -> engine.runner.commit(attempt))
        .isInstanceOf(StoreClosedException.class);
    engine.attempts.give(attempt);
  }

  @Test
  void anAbortAfterAConflictCountsTheConflict() {
    Attempt attempt = engine.attempts.take();
    Tx tx = attempt.begin(false);
    tx.getLong(WORD);
    engine.put(WORD, 1);
    engine.put(OTHER, 1);
    assertThatThrownBy(() -> tx.getLong(OTHER)).isInstanceOf(ConflictException.class);
    engine.runner.abort(attempt);
    assertThat(aborts(AbortCause.EXTENSION)).isEqualTo(1);
    assertThat(aborts(AbortCause.EXPLICIT)).isZero();
    engine.attempts.give(attempt);
  }

  @Test
  void anAttemptCommitsOrLosesWithoutAWait() {
    Attempt attempt = engine.attempts.take();
    assertThat(engine.runner.runOnce(attempt, () -> attempt.words.put(WORD, 3))).isTrue();
    assertThat(engine.get(WORD)).isEqualTo(3);
    boolean committed =
        engine.runner.runOnce(
            attempt,
            () -> {
              attempt.words.get(WORD);
              engine.put(WORD, 4);
              attempt.words.put(WORD, 5);
              assertThat(attempt.mustNotWait()).isTrue();
            });
    assertThat(committed).isFalse();
    assertThat(aborts(AbortCause.VALIDATION)).isEqualTo(1);
    assertThat(attempt.mustNotWait()).isFalse();
    engine.gate.enter(attempt.deadline());
    assertThat(engine.runner.runOnce(attempt, () -> attempt.words.put(WORD, 6)))
        .as("while another transaction runs alone")
        .isFalse();
    assertThat(aborts(AbortCause.LOCKED)).isEqualTo(1);
    engine.gate.leave();
    assertThat(engine.get(WORD)).isEqualTo(4);
    engine.attempts.give(attempt);
  }

  @Test
  void anInterruptOfALosingAttemptStays() throws InterruptedException {
    Attempt attempt = engine.attempts.take();
    engine.runner.execute(
        attempt,
        TxOptions.defaults(),
        tx -> {
          if (runs++ == 0) {
            lose(tx);
            throw new InterruptedException();
          }
          return 0;
        });
    engine.attempts.give(attempt);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(runs).isEqualTo(2);
  }
}

package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.RetryException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Savepoints, alternatives, waiting for a condition, and limits of time. */
@Timeout(60)
final class CompositionTest {

  private static final long ONE = 8192;
  private static final long TWO = ONE + 64;

  private final WordEngine store =
      WordEngine.inMemory(EngineOptions.defaults().withMaxSize(1 << 20).withOrecs(4096));

  @AfterEach
  void close() {
    store.close();
  }

  private long word(long address) {
    return store.read(tx -> tx.getLong(address));
  }

  private void set(long address, long value) {
    store.run(tx -> tx.putLong(address, value));
  }

  // ---- Savepoints.

  @Test
  void aRollBackTakesBackNewWordsAndOverwrittenOnes() {
    store.run(
        tx -> {
          tx.putLong(ONE, 1);
          Savepoint first = tx.savepoint();
          tx.putLong(ONE, 2);
          tx.putLong(TWO, 2);
          Savepoint second = tx.savepoint();
          tx.putLong(ONE, 3);
          tx.putLong(TWO, 3);
          tx.rollBack(second);
          assertThat(tx.getLong(ONE)).isEqualTo(2);
          assertThat(tx.getLong(TWO)).isEqualTo(2);
          tx.rollBack(first);
          assertThat(tx.getLong(ONE)).isEqualTo(1);
          assertThat(tx.getLong(TWO)).isZero();
          tx.putLong(TWO, 4);
          tx.rollBack(first);
        });
    assertThat(word(ONE)).isEqualTo(1);
    assertThat(word(TWO)).isZero();
  }

  @Test
  void aRollBackOfManyWordsLeavesTheOthers() {
    store.run(
        tx -> {
          for (int i = 0; i < 500; i++) {
            tx.putLong(ONE + 8L * i, i);
          }
          Savepoint before = tx.savepoint();
          for (int i = 0; i < 1000; i++) {
            tx.putLong(ONE + 8L * i, -1);
          }
          tx.rollBack(before);
          for (int i = 0; i < 1000; i++) {
            assertThat(tx.getLong(ONE + 8L * i)).isEqualTo(i < 500 ? i : 0);
          }
        });
    assertThat(word(ONE + 8L * 499)).isEqualTo(499);
    assertThat(word(ONE + 8L * 500)).isZero();
  }

  @Test
  void whatWasAllocatedSinceASavepointIsFreeAgain() {
    long block =
        store.call(
            tx -> {
              Savepoint before = tx.savepoint();
              long taken = tx.allocate(64);
              tx.rollBack(before);
              assertThat(tx.allocate(64)).isEqualTo(taken);
              return taken;
            });
    assertThat(block).isPositive();
  }

  @Test
  void aSavepointOfAnotherTransactionIsRefused() {
    List<Savepoint> kept = new ArrayList<>();
    store.run(tx -> kept.add(tx.savepoint()));
    assertThatThrownBy(() -> store.run(tx -> tx.rollBack(kept.getFirst())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another transaction");
  }

  /** The entries behind the savepoint would come back, with the values of later writes. */
  @Test
  void aSavepointIsGoneOnceTheTransactionIsBackBeforeIt() {
    store.run(
        tx -> {
          Savepoint first = tx.savepoint();
          tx.putLong(ONE, 1);
          Savepoint second = tx.savepoint();
          tx.rollBack(first);
          tx.putLong(TWO, 2);
          assertThatThrownBy(() -> tx.rollBack(second))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("rolled back to an earlier one");
          Savepoint third = tx.savepoint(); // has the place of the second
          assertThatThrownBy(() -> tx.rollBack(second))
              .isInstanceOf(IllegalArgumentException.class);
          tx.putLong(ONE, 3);
          tx.rollBack(third);
          tx.rollBack(third);
        });
    assertThat(word(ONE)).isZero();
    assertThat(word(TWO)).isEqualTo(2);
  }

  @Test
  void manySavepointsAreGoodUntilOneBeforeThemIs() {
    store.run(
        tx -> {
          List<Savepoint> all = new ArrayList<>();
          for (int i = 0; i < 1000; i++) {
            all.add(tx.savepoint());
            tx.putLong(ONE, i + 1);
          }
          for (int i = 999; i >= 0; i -= 37) {
            tx.rollBack(all.get(i));
            assertThat(tx.getLong(ONE)).isEqualTo(i);
          }
        });
  }

  @Test
  void aSavepointOfAnEarlierTransactionOfASessionIsRefused() {
    EngineSession session = store.session();
    Tx tx = session.begin();
    for (long i = 0; i < 8; i++) {
      tx.putLong(ONE + i * 8, 1);
    }
    Savepoint former = tx.savepoint();
    session.abort();
    assertThat(session.begin()).isSameAs(tx);
    tx.putLong(TWO, 2);
    assertThatThrownBy(() -> tx.rollBack(former)).isInstanceOf(IllegalArgumentException.class);
    tx.savepoint();
    assertThatThrownBy(() -> tx.rollBack(former)).isInstanceOf(IllegalArgumentException.class);
    session.commit();
    assertThat(word(ONE)).isZero();
    assertThat(word(TWO)).isEqualTo(2);
  }

  // ---- Alternatives.

  /** Going back to where orElse began would bring back a write of the alternative's. */
  @Test
  void anAlternativeThatWentBackFurtherThanItsBeginningCannotRetry() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Savepoint outer = tx.savepoint();
                      tx.putLong(ONE, tx.getLong(ONE) + 1);
                      tx.orElse(
                          first -> {
                            first.rollBack(outer);
                            first.putLong(TWO, 2);
                            throw first.retry();
                          },
                          second -> 0);
                    }))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("savepoint");
    assertThat(word(ONE)).isZero();
    assertThat(word(TWO)).isZero();
    store.run(
        tx -> {
          Savepoint outer = tx.savepoint();
          tx.putLong(ONE, 1);
          tx.orElse(
              first -> {
                first.rollBack(outer);
                first.putLong(TWO, 2);
                return 0;
              },
              second -> 0);
        });
    assertThat(word(ONE)).isZero();
    assertThat(word(TWO)).isEqualTo(2);
  }

  @Test
  void theFirstAlternativeCountsIfItDoesNotRetry() {
    String taken =
        store.call(
            tx ->
                tx.orElse(
                    first -> {
                      first.putLong(ONE, 1);
                      return "first";
                    },
                    second -> "second"));
    assertThat(taken).isEqualTo("first");
    assertThat(word(ONE)).isEqualTo(1);
  }

  @Test
  void whatTheFirstAlternativeWroteIsGoneWhenItRetries() {
    AtomicInteger committed = new AtomicInteger();
    String taken =
        store.call(
            tx -> {
              tx.putLong(ONE, 7);
              return tx.orElse(
                  first -> {
                    first.putLong(ONE, 1);
                    first.putLong(TWO, 1);
                    first.onCommit(committed::incrementAndGet);
                    throw first.retry();
                  },
                  second -> {
                    assertThat(second.getLong(TWO)).isZero();
                    return "second";
                  });
            });
    assertThat(taken).isEqualTo("second");
    assertThat(word(ONE)).isEqualTo(7);
    assertThat(word(TWO)).isZero();
    assertThat(committed).hasValue(0);
  }

  /** The second alternative's time is longer, and does not take the place of the first one's. */
  @Test
  void theShorterTimeOfTwoAlternativesEndsTheWait() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<String> taken =
        CompletableFuture.supplyAsync(
            () ->
                store.call(
                    tx ->
                        tx.<String, RuntimeException>orElse(
                            first -> {
                              first.getLong(ONE);
                              if (attempts.incrementAndGet() > 1) {
                                return "first";
                              }
                              throw first.retry(Duration.ofMillis(1));
                            },
                            second -> {
                              throw second.retry(Duration.ofDays(1));
                            })));
    assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("first");
  }

  @Test
  void aSwallowedRetryCountsAllTheSame() {
    String taken =
        store.call(
            tx ->
                tx.orElse(
                    first -> {
                      first.getLong(ONE);
                      try {
                        throw first.retry();
                      } catch (RetryException e) {
                        return "swallowed";
                      }
                    },
                    second -> "second"));
    assertThat(taken).isEqualTo("second");
  }

  @Test
  void ifBothAlternativesRetryAChangeOfWhatEitherReadWakes() throws Exception {
    for (long changed : new long[] {ONE, TWO}) {
      set(ONE, 0);
      set(TWO, 0);
      long before = store.retries();
      CompletableFuture<Long> found =
          CompletableFuture.supplyAsync(
              () ->
                  store.call(
                      tx ->
                          tx.orElse(first -> nonZero(first, ONE), second -> nonZero(second, TWO))),
              Thread::startVirtualThread);
      awaitRetries(before + 1);
      assertThat(found).isNotDone();
      set(changed, changed);
      assertThat(found.get(30, TimeUnit.SECONDS)).isEqualTo(changed);
    }
  }

  private static long nonZero(Tx tx, long address) {
    long value = tx.getLong(address);
    if (value == 0) {
      throw tx.retry();
    }
    return value;
  }

  /** Waits until transactions have begun to wait so many times since the store was made. */
  private void awaitRetries(long count) throws InterruptedException {
    while (store.retries() < count) {
      Thread.sleep(1);
    }
    Thread.sleep(5);
  }

  // ---- Waiting for a condition.

  @Test
  void aQueueOfOneWordMovesEverythingBetweenThreadsThatWaitForEachOther() throws Exception {
    int items = 2000;
    List<Long> taken = new ArrayList<>();
    Thread consumer =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 0; i < items; i++) {
                    taken.add(
                        store.call(
                            tx -> {
                              long item = nonZero(tx, ONE);
                              tx.putLong(ONE, 0);
                              return item;
                            }));
                  }
                });
    for (long i = 1; i <= items; i++) {
      long item = i;
      store.run(
          tx -> {
            if (tx.getLong(ONE) != 0) {
              throw tx.retry();
            }
            tx.putLong(ONE, item);
          });
    }
    consumer.join();
    for (int i = 0; i < items; i++) {
      assertThat(taken.get(i)).isEqualTo(i + 1);
    }
  }

  /** Commits are told from each other by buckets of orecs, so some wake a waiter in vain. */
  @Test
  void aWaiterDoesNotRunAgainForWordsThatItHasNotRead() throws Exception {
    AtomicInteger inVain = new AtomicInteger();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () ->
                    store.run(
                        tx -> {
                          if (tx.getLong(ONE) == 0) {
                            inVain.incrementAndGet();
                            throw tx.retry();
                          }
                        }));
    awaitRetries(1);
    for (long i = 1; i <= 4000; i++) {
      set(TWO + 4096 + 64 * (i % 128), i);
    }
    set(ONE, 1);
    waiter.join();
    assertThat(inVain).hasValue(1);
  }

  @Test
  void anInterruptDoesNotEndAWaitAndStays() throws Exception {
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  store.<Long, RuntimeException>call(tx -> nonZero(tx, ONE));
                  interrupted.set(Thread.currentThread().isInterrupted());
                });
    awaitRetries(1);
    waiter.interrupt();
    Thread.sleep(20);
    assertThat(waiter.isAlive()).isTrue();
    set(ONE, 1);
    waiter.join();
    assertThat(interrupted).isTrue();
  }

  @Test
  void closingTheStoreEndsAWait() throws Exception {
    CompletableFuture<@Nullable Void> waiting =
        CompletableFuture.runAsync(
            () -> store.<Long, RuntimeException>call(tx -> nonZero(tx, ONE)),
            Thread::startVirtualThread);
    awaitRetries(1);
    store.close();
    assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(StoreClosedException.class);
  }

  @Test
  void aBodyWhoseOwnTransactionsChangeWhatItUsesIsRefused() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(ONE, tx.getLong(ONE) + 1);
                      store.run(inner -> inner.putLong(ONE, inner.getLong(ONE) + 1));
                    }))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("the transaction cannot commit")
        .hasMessageContaining("nest with tx.run or tx.call instead of store.run");
  }

  @Test
  void aRetryThatCouldNeverEndIsRefused() {
    assertThatThrownBy(() -> store.run(tx -> tx.retry()))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("has read nothing");
    TxOptions irrevocable = TxOptions.sync().withIrrevocable();
    assertThatThrownBy(() -> store.call(irrevocable, tx -> nonZero(tx, ONE)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("irrevocable");
    EngineSession txSession = store.session();
    Tx tx = txSession.begin();
    assertThatThrownBy(() -> nonZero(tx, ONE))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("no body");
    txSession.abort();
  }

  // ---- Limits of time.

  private static final TxOptions BRIEF = TxOptions.sync().withTimeLimit(Duration.ofMillis(30));

  @Test
  void aBodyThatNeverEndsIsEndedByItsNextCall() {
    set(ONE, 5);
    assertThatThrownBy(
            () ->
                store.call(
                    BRIEF,
                    tx -> {
                      tx.putLong(TWO, 1);
                      while (tx.getLong(ONE) == 5) {
                        Thread.onSpinWait();
                      }
                      return 0;
                    }))
        .isInstanceOf(TransactionTimeoutException.class)
        .hasMessageContaining("30 ms");
    assertThat(word(TWO)).isZero();
  }

  @Test
  void aBodyThatSwallowsTheTimeoutDoesNotCommit() {
    assertThatThrownBy(
            () ->
                store.call(
                    BRIEF,
                    tx -> {
                      tx.putLong(TWO, 1);
                      try {
                        while (true) {
                          tx.getLong(ONE);
                        }
                      } catch (TransactionTimeoutException e) {
                        return 0;
                      }
                    }))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(word(TWO)).isZero();
  }

  @Test
  void aBodyThatMakesNoCallDoesNotCommitAfterItsLimit() {
    assertThatThrownBy(
            () ->
                store.call(
                    BRIEF,
                    tx -> {
                      tx.putLong(TWO, 1);
                      Thread.sleep(100);
                      return 0;
                    }))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(word(TWO)).isZero();
  }

  @Test
  void aWaitForAConditionEndsAtTheLimit() {
    assertThatThrownBy(() -> store.call(BRIEF, tx -> nonZero(tx, ONE)))
        .isInstanceOf(TransactionTimeoutException.class);
  }

  @Test
  void aTransactionWithinItsLimitIsLeftAlone() {
    TxOptions generous = TxOptions.sync().withTimeLimit(Duration.ofHours(1));
    for (int i = 0; i < 1000; i++) {
      store.call(generous, tx -> tx.getLong(ONE));
    }
    assertThatThrownBy(() -> TxOptions.sync().withTimeLimit(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aBodyThatNeverEndsAndNeverCallsBlocksNoOtherTransaction() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicBoolean closed = new AtomicBoolean();
    CountDownLatch inside = new CountDownLatch(1);
    Thread endless =
        Thread.ofPlatform()
            .daemon(true)
            .start(
                () -> {
                  try {
                    store.run(
                        tx -> {
                          tx.putLong(ONE, 1);
                          inside.countDown();
                          while (!over.get()) {
                            Thread.onSpinWait();
                          }
                        });
                  } catch (StoreClosedException e) {
                    closed.set(true);
                  }
                });
    inside.await();
    set(ONE, 2);
    assertThat(word(ONE)).isEqualTo(2);
    assertThat(store.close(Duration.ofMillis(200))).isFalse();
    over.set(true);
    endless.join();
    assertThat(closed).isTrue();
  }

  // ---- Two stores.

  @Test
  void aTransactionInsideAnotherStoresBodyIsOneOfItsOwn() {
    try (WordEngine other = WordEngine.inMemory(EngineOptions.defaults().withMaxSize(1 << 20))) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        tx.putLong(ONE, 1);
                        other.run(inner -> inner.putLong(ONE, 1));
                        throw tx.abort();
                      }))
          .isInstanceOf(TransactionAbortedException.class);
      assertThat(word(ONE)).isZero();
      assertThat(other.<Long, RuntimeException>read(tx -> tx.getLong(ONE))).isEqualTo(1);
    }
  }
}

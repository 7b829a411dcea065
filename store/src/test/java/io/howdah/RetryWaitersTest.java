package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.StoreClosedException;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many transactions that wait for a change. */
final class RetryWaitersTest {

  private static final int WAITERS = 5000;
  private static final int WORD_BYTES = 64;
  private static final Duration LONG = Duration.ofSeconds(30);

  /** No wait for a change ends by time, so a wake-up that is lost is seen. */
  private static final class NoLooksByTime extends SystemThreads {

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (!"RetryWaits".equals(blocker.getClass().getSimpleName())) {
        system.parkNanos(blocker, nanos);
        return;
      }
      Runnable commit = atShortPark;
      if (nanos == 1 && commit != null) {
        atShortPark = null;
        commit.run();
      }
      system.parkNanos(blocker, nanos == 1 || isTimed ? nanos : 2 * LONG.toNanos());
    }

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }
  }

  private static volatile boolean isTimed;

  /** Runs between an interrupted waiter's validation and the park that takes its permit. */
  private static volatile @Nullable Runnable atShortPark;

  private final Store store =
      Store.inMemory(
          StoreOptions.defaults().withMaxSize(64L << 20).withExecution(new NoLooksByTime()));
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger runs = new AtomicInteger();
  private long block;

  @BeforeEach
  void makeWords() {
    block = store.call(tx -> tx.allocate((long) WAITERS * WORD_BYTES));
  }

  @AfterEach
  void close() {
    isTimed = false;
    store.close();
  }

  private long word(int index) {
    return block + (long) index * WORD_BYTES;
  }

  private long taken(Tx tx, long address) {
    runs.incrementAndGet();
    long value = tx.getLong(address);
    if (value == 0) {
      throw tx.retry();
    }
    tx.putLong(address, value - 1);
    return value;
  }

  private void startWaiters(
      AtomicReferenceArray<@Nullable Object> outcomes, boolean haveOneWordEach) {
    for (int i = 0; i < outcomes.length(); i++) {
      int index = i;
      long address = word(haveOneWordEach ? i : 0);
      threads.add(
          Thread.startVirtualThread(
              () -> {
                try {
                  outcomes.set(index, store.call(tx -> taken(tx, address)));
                } catch (RuntimeException e) {
                  outcomes.set(index, e);
                }
              }));
    }
    awaitWaiting(outcomes.length());
  }

  /** Waits until so many transactions have begun to wait since the store was made. */
  private void awaitWaiting(long count) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (store.admin().stats().retries() < count) {
      assertThat(System.nanoTime()).as("waiters in time").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private void join() throws InterruptedException {
    for (Thread thread : threads) {
      assertThat(thread.join(LONG)).isTrue();
    }
  }

  @Test
  void eachWaiterRunsAgainForItsOwnChangeOnly() throws Exception {
    AtomicReferenceArray<@Nullable Object> outcomes = new AtomicReferenceArray<>(WAITERS);
    startWaiters(outcomes, true);
    // A waiter may have been about to park when another's first run made its orec's neighbours.
    int before = runs.get();
    for (int i = 0; i < WAITERS; i++) {
      long address = word(i);
      long value = i + 1L;
      store.run(tx -> tx.putLong(address, value));
    }
    join();
    for (int i = 0; i < WAITERS; i++) {
      assertThat(outcomes.get(i)).isEqualTo(i + 1L);
    }
    // Two words may share an orec, and a waiter may meet a conflict; hardly any does.
    assertThat(runs.get() - before).isBetween(WAITERS, WAITERS + WAITERS / 5);
  }

  @Test
  void allWaitersOfOneWordAreServed() throws Exception {
    int waiters = 200;
    AtomicReferenceArray<@Nullable Object> outcomes = new AtomicReferenceArray<>(waiters);
    startWaiters(outcomes, false);
    for (int i = 0; i < waiters; i++) {
      store.run(
          tx -> {
            tx.putLong(word(1), tx.getLong(word(1)) + 1); // an orec before the waiters' one
            tx.putLong(word(0), tx.getLong(word(0)) + 1);
          });
    }
    join();
    assertThat(store.<Long, RuntimeException>call(tx -> tx.getLong(word(0)))).isZero();
  }

  @Test
  void aWaiterThatHasReadMoreThanItsBucketsIsWokenByEachOfItsWords() throws Exception {
    for (int changed : new int[] {0, WAITERS / 2, WAITERS - 1}) {
      long waiting = store.admin().stats().retries();
      CompletableFuture<Long> sum =
          CompletableFuture.supplyAsync(
              () ->
                  store.call(
                      tx -> {
                        long found = 0;
                        for (int i = 0; i < WAITERS; i++) {
                          found += tx.getLong(word(i));
                        }
                        if (found == 0) {
                          throw tx.retry();
                        }
                        return found;
                      }),
              Thread::startVirtualThread);
      awaitWaiting(waiting + 1);
      store.run(tx -> tx.putLong(word(changed), 7));
      assertThat(sum.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
      store.run(tx -> tx.putLong(word(changed), 0));
    }
  }

  @Test
  void aWakeUpIsNotLostIfTheWaiterIsInterrupted() throws Exception {
    atShortPark = () -> store.run(tx -> tx.putLong(word(0), 3));
    CompletableFuture<Long> waiter =
        CompletableFuture.supplyAsync(
            () -> {
              Thread.currentThread().interrupt();
              return store.call(tx -> taken(tx, word(0)));
            },
            Thread::startVirtualThread);
    assertThat(waiter.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(3);
  }

  @Test
  void aCloseEndsAllWaits() throws Exception {
    AtomicReferenceArray<@Nullable Object> outcomes = new AtomicReferenceArray<>(100);
    startWaiters(outcomes, true);
    store.close();
    join();
    for (int i = 0; i < outcomes.length(); i++) {
      assertThat(outcomes.get(i)).isInstanceOf(StoreClosedException.class);
    }
  }

  @Test
  void aWaiterWithATimeLimitEndsThen() {
    isTimed = true;
    CompletableFuture<Long> waiter =
        CompletableFuture.supplyAsync(
            () ->
                store.call(
                    TxOptions.async().withTimeLimit(Duration.ofMillis(50)),
                    tx -> taken(tx, word(0))),
            Thread::startVirtualThread);
    assertThat(waiter)
        .failsWithin(LONG)
        .withThrowableThat()
        .withMessageContaining("TransactionTimeoutException");
  }
}

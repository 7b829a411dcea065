package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two thousand virtual threads that transfer without a pause, and beside them one that needs
 * something else: all threads have turns, and the other one gets what it needs.
 */
@Timeout(300)
final class BesideManyThreadsTest {

  private static final int THREADS = 2_000;
  private static final int ACCOUNTS = 4096;
  private static final long BALANCE = 1000;

  /** How often the thread beside the others does what it does. */
  private static final int TIMES = 6;

  /** Ends a wait of a thread whose partner has failed. */
  private static final Duration RETRY_LIMIT = Duration.ofSeconds(200);

  private final CountDownLatch turns = new CountDownLatch(THREADS);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stop;
  private Store store;
  private long accounts;
  private long ball;

  @BeforeEach
  void open() {
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
    store.run(
        tx -> {
          accounts = tx.allocate(8L * ACCOUNTS);
          ball = tx.allocate(64);
          for (int i = 0; i < ACCOUNTS; i++) {
            tx.putLong(accounts + 8L * i, BALANCE);
          }
        });
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = new SplittableRandom(i);
      start(() -> transfer(random));
    }
  }

  @AfterEach
  void close() throws InterruptedException {
    turns.await(); // without turns most threads have none before the others stop
    stop = true;
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(sum()).isEqualTo(ACCOUNTS * BALANCE);
    store.close();
    assertThat(failure.get()).isNull();
  }

  private Thread start(Runnable body) {
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    body.run();
                  } catch (Throwable t) {
                    failure.compareAndSet(null, t);
                    turns.countDown();
                  }
                });
    threads.add(thread);
    return thread;
  }

  private void transfer(SplittableRandom random) {
    boolean isFirst = true;
    while (!stop) {
      long from = accounts + 8L * random.nextInt(ACCOUNTS);
      long to = accounts + 8L * random.nextInt(ACCOUNTS);
      store.run(
          TxOptions.async(),
          tx -> {
            tx.putLong(from, tx.getLong(from) - 1);
            tx.putLong(to, tx.getLong(to) + 1);
          });
      if (isFirst) {
        isFirst = false;
        turns.countDown();
      }
    }
  }

  private long sum() {
    return store.read(
        TxOptions.async(),
        tx -> {
          long sum = 0;
          for (int i = 0; i < ACCOUNTS; i++) {
            sum += tx.getLong(accounts + 8L * i);
          }
          return sum;
        });
  }

  @Test
  void aLongReaderFindsTheSumEachTime() throws InterruptedException {
    AtomicInteger right = new AtomicInteger();
    start(
            () -> {
              for (int i = 0; i < TIMES; i++) {
                right.addAndGet(sum() == ACCOUNTS * BALANCE ? 1 : 0);
              }
            })
        .join();
    assertThat(right.get()).isEqualTo(TIMES);
  }

  /** Each waits by retry until the other one has written. */
  @Test
  void twoThatRetryAnswerEachOther() throws InterruptedException {
    Thread ping = start(() -> answer(0));
    Thread pong = start(() -> answer(1));
    ping.join();
    pong.join();
    long balls = store.read(tx -> tx.getLong(ball));
    assertThat(balls).isEqualTo(2L * TIMES);
  }

  private void answer(int parity) {
    for (int i = 0; i < TIMES; i++) {
      store.run(
          TxOptions.async(),
          tx -> {
            long at = tx.getLong(ball);
            if ((at & 1) != parity) {
              throw tx.retry(RETRY_LIMIT);
            }
            tx.putLong(ball, at + 1);
          });
    }
  }

  /** It changes all accounts, which conflicts with each of the others. */
  @Test
  void anIrrevocableTransactionRunsOnceAndCommits() throws InterruptedException {
    AtomicInteger attempts = new AtomicInteger();
    start(
            () -> {
              for (int i = 0; i < TIMES; i++) {
                store.run(
                    TxOptions.async().withIrrevocable(),
                    tx -> {
                      attempts.incrementAndGet();
                      for (int k = 0; k < ACCOUNTS; k++) {
                        long address = accounts + 8L * k;
                        tx.putLong(address, tx.getLong(address) + (k % 2 == 0 ? 1 : -1));
                      }
                    });
              }
            })
        .join();
    assertThat(attempts.get()).isEqualTo(TIMES);
  }
}

package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invariants under many threads. */
@Timeout(300)
@Tag("scaled")
final class ConcurrentTransactionsTest {

  /** One in so many of the transactions of a campaign. */
  private static final int SHARE = Integer.getInteger("howdah.stride", 10);

  private static final long BASE = 8192;
  private static final ThreadFactory PLATFORM = Thread.ofPlatform().factory();
  private static final ThreadFactory VIRTUAL = Thread.ofVirtual().factory();

  private interface Work {
    void run(int thread) throws Exception;
  }

  private static WordEngine store(int orecs) {
    return WordEngine.inMemory(
        EngineOptions.defaults().withMaxSize(8 << 20).withOrecs(orecs).withPartitions(4));
  }

  private static void inParallel(ThreadFactory factory, int threads, Work work)
      throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Thread thread =
          factory.newThread(
              () -> {
                try {
                  work.run(number);
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      thread.start();
      all.add(thread);
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"1,false", "2,false", "8,false", "64,false", "5000,true"})
  void transfersKeepTheSum(int threads, boolean virtual) throws Exception {
    int accounts = 50;
    int transfers = Math.max(5, 100_000 / SHARE / threads);
    try (WordEngine store = store(1 << 10)) {
      store.run(
          tx -> {
            for (int i = 0; i < accounts; i++) {
              tx.putLong(BASE + 40L * i, 1000);
            }
          });
      AtomicLong moved = new AtomicLong();
      inParallel(
          virtual ? VIRTUAL : PLATFORM,
          threads,
          t -> {
            SplittableRandom random = new SplittableRandom(t);
            for (int i = 0; i < transfers; i++) {
              long from = BASE + 40L * random.nextInt(accounts);
              long to = BASE + 40L * random.nextInt(accounts);
              if (i % 10 == 9) {
                assertThat(sum(store, accounts)).isEqualTo(1000L * accounts);
              } else {
                store.run(
                    tx -> {
                      tx.putLong(from, tx.getLong(from) - 1);
                      tx.putLong(to, tx.getLong(to) + 1);
                    });
                moved.incrementAndGet();
              }
            }
          });
      assertThat(sum(store, accounts)).isEqualTo(1000L * accounts);
      assertThat(store.commits()).isEqualTo(moved.get() + 2);
      assertThat(store.irrevocableRunning()).isZero();
    }
  }

  private static long sum(WordEngine store, int accounts) {
    return store.read(
        tx -> {
          long sum = 0;
          for (int i = 0; i < accounts; i++) {
            sum += tx.getLong(BASE + 40L * i);
          }
          return sum;
        });
  }

  /** Every update counts, so a lost one shows; all threads fight for one word. */
  @ParameterizedTest
  @CsvSource({"2,false", "16,false", "1000,true"})
  void incrementsOfOneWordAreNotLost(int threads, boolean virtual) throws Exception {
    int increments = Math.max(5, 50_000 / SHARE / threads);
    try (WordEngine store = store(64)) {
      inParallel(
          virtual ? VIRTUAL : PLATFORM,
          threads,
          _ -> {
            for (int i = 0; i < increments; i++) {
              store.run(tx -> tx.putLong(BASE, tx.getLong(BASE) + 1));
            }
          });
      assertThat((long) store.read(tx -> tx.getLong(BASE))).isEqualTo((long) threads * increments);
    }
  }

  /**
   * Both words of a pair are always equal, also inside transactions that will be aborted: a body
   * that saw a mixed state would divide by zero.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void bodiesNeverSeeAMixedState(int threads) throws Exception {
    int pairs = 4;
    try (WordEngine store = store(1 << 10)) {
      inParallel(
          PLATFORM,
          threads,
          t -> {
            SplittableRandom random = new SplittableRandom(t);
            for (int i = 0; i < 50_000 / SHARE; i++) {
              long a = BASE + 4096L * random.nextInt(pairs);
              long b = a + 2048;
              boolean write = random.nextInt(3) == 0;
              store.call(
                  tx -> {
                    long first = tx.getLong(a);
                    if (write) {
                      tx.putLong(a, first + 1);
                    }
                    long second = tx.getLong(b);
                    if (write) {
                      tx.putLong(b, second + 1);
                    }
                    return 1 / (first == second ? 1 : 0);
                  });
            }
          });
    }
  }

  @Test
  void writeSkewNeverHappens() throws Exception {
    // At most one of two words may be 1; each transaction checks both and sets one.
    long a = BASE;
    long b = BASE + 4096;
    try (WordEngine store = store(1 << 10)) {
      inParallel(
          PLATFORM,
          4,
          t -> {
            long mine = t % 2 == 0 ? a : b;
            for (int i = 0; i < 20_000 / SHARE; i++) {
              store.run(
                  tx -> {
                    assertThat(tx.getLong(a) + tx.getLong(b)).isLessThanOrEqualTo(1);
                    tx.putLong(mine, tx.getLong(a) + tx.getLong(b) == 0 ? 1 : 0);
                  });
            }
          });
    }
  }

  /** One reader of much data against writers that never rest: it ends, since it escalates. */
  @Test
  void aLongTransactionEndsAmongWriters() throws Exception {
    int words = 2000;
    try (WordEngine store =
        WordEngine.inMemory(
            EngineOptions.defaults()
                .withMaxSize(8 << 20)
                .withOrecs(1 << 10)
                .withPartitions(4)
                .withIrrevocableAfterAborts(4))) {
      AtomicBoolean done = new AtomicBoolean();
      inParallel(
          PLATFORM,
          4,
          t -> {
            SplittableRandom random = new SplittableRandom(t);
            if (t == 0) {
              try {
                for (int i = 0; i < 20; i++) {
                  long total =
                      store.call(
                          tx -> {
                            long sum = 0;
                            for (int w = 0; w < words; w++) {
                              sum += tx.getLong(BASE + 64L * w);
                            }
                            tx.putLong(BASE + 64L * words, sum);
                            return sum;
                          });
                  assertThat(total).isZero();
                }
              } finally {
                done.set(true);
              }
            } else {
              while (!done.get()) {
                long from = BASE + 64L * random.nextInt(words);
                long to = BASE + 64L * random.nextInt(words);
                store.run(
                    tx -> {
                      tx.putLong(from, tx.getLong(from) - 1);
                      tx.putLong(to, tx.getLong(to) + 1);
                    });
              }
            }
          });
    }
  }

  @Test
  void theIrrevocableBodyRunsOnce() throws Exception {
    AtomicLong bodies = new AtomicLong();
    int each = 300;
    try (WordEngine store = store(64)) {
      inParallel(
          PLATFORM,
          6,
          t -> {
            for (int i = 0; i < each; i++) {
              if (t % 2 == 0) {
                store.call(
                    TxOptions.async().withIrrevocable(),
                    tx -> {
                      bodies.incrementAndGet();
                      assertThat(store.irrevocableRunning()).isEqualTo(1);
                      tx.putLong(BASE, tx.getLong(BASE) + 1);
                      return 0;
                    });
              } else {
                store.run(tx -> tx.putLong(BASE, tx.getLong(BASE) + 1));
              }
            }
          });
      assertThat(bodies).hasValue(3L * each);
      assertThat((long) store.read(tx -> tx.getLong(BASE))).isEqualTo(6L * each);
      assertThat(store.irrevocableTransactions()).isGreaterThanOrEqualTo(3L * each);
      assertThat(store.irrevocableRunning()).isZero();
    }
  }

  /** Blocks pass from thread to thread through a table of words; none is ever held twice. */
  @ParameterizedTest
  @CsvSource({"4,false", "500,true"})
  void allocationsStayDisjointUnderConcurrency(int threads, boolean virtual) throws Exception {
    int slots = 64;
    int steps = Math.max(20, 40_000 / SHARE / threads);
    try (WordEngine store = store(1 << 12)) {
      long table = store.call(tx -> tx.allocate(8L * slots));
      inParallel(
          virtual ? VIRTUAL : PLATFORM,
          threads,
          t -> {
            SplittableRandom random = new SplittableRandom(t);
            for (int i = 0; i < steps; i++) {
              long slot = table + 8L * random.nextInt(slots);
              long bytes = 8L * (1 + random.nextInt(8));
              long mark = random.nextLong();
              store.run(
                  tx -> {
                    long old = tx.getLong(slot);
                    if (old != 0) {
                      assertThat(tx.getLong(old)).isEqualTo(old ^ tx.getLong(old + 8));
                      tx.free(old);
                    }
                    long block = tx.allocate(8 + bytes);
                    assertThat(tx.getLong(block)).isZero();
                    assertThat(tx.getLong(block + 8)).isZero();
                    tx.putLong(block + 8, mark);
                    tx.putLong(block, block ^ mark);
                    tx.putLong(slot, block);
                  });
            }
          });
      List<Long> held = new ArrayList<>();
      store.run(
          tx -> {
            for (int s = 0; s < slots; s++) {
              long block = tx.getLong(table + 8L * s);
              if (block != 0) {
                held.add(block);
                assertThat(TxHandle.of(tx).words().heap.isBlock(block)).isTrue();
                tx.free(block);
              }
            }
          });
      assertThat(held).doesNotHaveDuplicates();
    }
  }
}

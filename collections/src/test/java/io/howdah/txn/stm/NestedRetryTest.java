package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordSession;
import io.howdah.collections.WordStore;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A transaction that wants to wait for a change, on a thread that keeps all others from committing:
 * nobody could end the wait, so it is refused, and the others commit.
 */
@Timeout(120)
final class NestedRetryTest {

  private static final int MAX_ABORTS = 2;
  private static final long PATIENCE_SECONDS = 20;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults()
              .withMaxSize(1 << 24)
              .withOrecs(1 << 12)
              .withIrrevocableAfterAborts(MAX_ABORTS));
  private final BlockingQueue<Long> queue = store.queue("queue", Codec.int64()).asBlockingQueue();
  private final long word = store.call(tx -> tx.allocate(64));
  private final long counter = store.call(tx -> tx.allocate(64));

  @AfterEach
  void close() {
    store.close();
  }

  /** What keeps others from committing. */
  enum Outer {
    OPTION {
      @Override
      void run(WordStore store, long counter, Step inner) throws InterruptedException {
        store.run(TxOptions.defaults().withIrrevocable(), tx -> inner.run());
      }
    },
    SESSION {
      @Override
      void run(WordStore store, long counter, Step inner) throws InterruptedException {
        try (WordSession session = store.session()) {
          session.begin(TxOptions.defaults().withIrrevocable());
          inner.run();
        }
      }
    },
    TOO_MANY_CONFLICTS {
      @Override
      void run(WordStore store, long counter, Step inner) throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        store.run(
            tx -> {
              long seen = tx.getLong(counter);
              if (attempts.incrementAndGet() <= MAX_ABORTS) {
                store.run(other -> other.putLong(counter, seen + 1));
                tx.putLong(counter, 0);
              } else {
                inner.run();
              }
            });
      }
    };

    abstract void run(WordStore store, long counter, Step inner) throws InterruptedException;
  }

  /** Something that waits for another transaction. */
  interface Step {
    void run() throws InterruptedException;
  }

  /** How it waits. */
  enum Inner {
    RUN,
    READ,
    RUN_WITHIN_A_RUN,
    TAKE,
    POLL
  }

  private long nonZero(Tx tx) {
    long value = tx.getLong(word);
    if (value == 0) {
      throw tx.retry();
    }
    return value;
  }

  private void await(Inner how) throws InterruptedException {
    switch (how) {
      case RUN -> store.run(tx -> nonZero(tx));
      case READ -> store.<Long, RuntimeException>read(tx -> nonZero(tx));
      case RUN_WITHIN_A_RUN -> store.run(tx -> store.run(inner -> nonZero(inner)));
      case TAKE -> queue.take();
      case POLL -> queue.poll(1, TimeUnit.DAYS);
    }
  }

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (Outer outer : Outer.values()) {
      for (Inner inner : Inner.values()) {
        cases.add(Arguments.of(outer, inner));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aWaitThatNobodyCouldEndIsRefused(Outer outer, Inner inner) throws Exception {
    CountDownLatch isAlone = new CountDownLatch(1);
    CompletableFuture<@Nullable Void> waiter =
        CompletableFuture.runAsync(
            () ->
                assertThatThrownBy(
                        () ->
                            outer.run(
                                store,
                                counter,
                                () -> {
                                  isAlone.countDown();
                                  await(inner);
                                }))
                    .isInstanceOf(TransactionStateException.class)
                    .hasMessageContaining("inside an irrevocable one"),
            Thread::startVirtualThread);
    isAlone.await();
    store.run(
        TxOptions.defaults().withTimeLimit(Duration.ofSeconds(PATIENCE_SECONDS)),
        tx -> tx.putLong(counter, -1));
    waiter.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(store.irrevocableRunning()).isZero();
    assertThat(store.retries()).isZero();
  }
}

package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing a store while it works, and using it afterwards. */
@Timeout(60)
final class StoreCloseTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .maxSize(1 << 20)
          .orecs(1 << 12)
          .partitions(2)
          .closeTimeout(Duration.ofMillis(200));

  @Test
  void aClosedStoreRefusesEverything() {
    Store store = Store.inMemory(SMALL);
    Commit<Integer> commit =
        store.submit(
            Durability.SYNC,
            tx -> {
              tx.putLong(8192, 1);
              return 5;
            });
    store.close();
    store.close();
    assertThatThrownBy(() -> store.run(tx -> {})).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.call(tx -> 1)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.read(tx -> 1)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::begin).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.isStable(1)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.awaitStable(1)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::stats).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(commit::isStable).isInstanceOf(StoreClosedException.class);
    assertThat(commit.value()).isEqualTo(5);
    assertThat(store).hasToString("Store[closed]");
  }

  @Test
  void closeWaitsForABodyThatEnds() throws Exception {
    Store store = Store.inMemory(SMALL.closeTimeout(Duration.ofSeconds(30)));
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread body =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    outcome.set(
                        store.run(
                            tx -> {
                              tx.putLong(8192, 1);
                              inside.countDown();
                              goOn.await();
                            }));
                  } catch (Throwable t) {
                    outcome.set(t);
                  }
                });
    inside.await();
    Thread closer = Thread.ofPlatform().start(store::close);
    closer.join(50);
    assertThat(closer.isAlive()).isTrue();
    assertThatThrownBy(() -> store.run(tx -> {})).isInstanceOf(StoreClosedException.class);
    goOn.countDown();
    body.join();
    closer.join();
    assertThat(outcome.get()).isInstanceOf(Long.class);
  }

  @Test
  void aBodyThatDoesNotEndIsLeftBehindAndCannotCommit() throws Exception {
    Store store = Store.inMemory(SMALL);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<Object> outcomes = new ArrayList<>();
    List<Thread> bodies = new ArrayList<>();
    for (boolean reads : new boolean[] {true, false}) {
      bodies.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    Object outcome;
                    try {
                      outcome =
                          store.run(
                              tx -> {
                                tx.putLong(8192, 1);
                                inside.countDown();
                                goOn.await();
                                if (reads) {
                                  tx.getLong(16384);
                                }
                              });
                    } catch (Throwable t) {
                      outcome = t;
                    }
                    synchronized (outcomes) {
                      outcomes.add(outcome);
                    }
                  }));
    }
    inside.await();
    long started = System.nanoTime();
    store.close();
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(20));
    goOn.countDown();
    for (Thread body : bodies) {
      body.join();
    }
    assertThat(outcomes).hasSize(2).allMatch(o -> o instanceof StoreClosedException);
  }

  @Test
  void closeInsideABodyEndsAfterItsTimeout() {
    Store store = Store.inMemory(SMALL);
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(8192, 1);
                      store.close();
                    }))
        .isInstanceOf(StoreClosedException.class);
  }

  @Test
  void closeUnderTrafficEndsEveryThreadWithTheSameAnswer() throws Exception {
    for (int round = 0; round < 20; round++) {
      Store store = Store.inMemory(SMALL);
      AtomicLong commits = new AtomicLong();
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        long address = 8192 + 64L * (t % 3);
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        while (true) {
                          store.run(tx -> tx.putLong(address, tx.getLong(address) + 1));
                          commits.incrementAndGet();
                        }
                      } catch (StoreClosedException e) {
                        // as it should be
                      } catch (Throwable e) {
                        wrong.set(e);
                      }
                    }));
      }
      while (commits.get() < 100) {
        Thread.onSpinWait();
      }
      store.close();
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(wrong.get()).isNull();
    }
  }

  @Test
  void anInterruptEndsNeitherATransactionNorAClose() {
    Store store = Store.inMemory(SMALL);
    Thread.currentThread().interrupt();
    try {
      store.run(tx -> tx.putLong(8192, 1));
      store.submit(
          TxOptions.of(Durability.SYNC).irrevocable(),
          tx -> {
            tx.putLong(8192, 2);
            return 0;
          });
      assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(2);
      store.close();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void interruptedThreadsConflictAndStillFinish() throws Exception {
    try (Store store = Store.inMemory(SMALL)) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      Thread.currentThread().interrupt();
                      for (int i = 0; i < 500; i++) {
                        store.run(tx -> tx.putLong(8192, tx.getLong(8192) + 1));
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(8000);
    }
  }
}

package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Virtual threads that run transactions without a pause let each other run. */
@Timeout(60)
class TurnsTest {

  private static final int TRANSACTIONS = 80;

  /** An address at which a store may have data. */
  private static final long FIRST_ADDRESS = 1 << 16;

  /** What a thread does again and again. */
  enum Kind {
    COMMITS,
    READS,
    SESSIONS;

    void run(Store store) {
      switch (this) {
        case COMMITS ->
            store.run(TxOptions.async(), tx -> tx.root(0, tx.root(0) == 0 ? FIRST_ADDRESS : 0));
        case READS -> store.read(tx -> tx.root(0));
        case SESSIONS -> {
          try (Session session = store.session()) {
            session.begin(TxOptions.async()).root(1);
            session.commit();
          }
        }
      }
    }
  }

  /** Counts yields; the clock goes on by a quarter of a turn with each reading. */
  private static final class Counted extends ForwardingSystem {

    final AtomicLong yields = new AtomicLong();
    final AtomicLong parks = new AtomicLong();
    final AtomicLong now = new AtomicLong();

    @Override
    public long nanoTime() {
      return now.addAndGet(Turns.TURN_NANOS / 4);
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      parks.addAndGet(blocker instanceof Turns ? 1 : 0);
      super.parkNanos(blocker, nanos);
    }

    @Override
    public void yieldNow() {
      yields.incrementAndGet();
    }
  }

  /** Runs transactions in a thread, and returns the execution that has counted. */
  private static Counted counted(ThreadFactory factory, Kind kind, int transactions)
      throws InterruptedException {
    Counted execution = new Counted();
    try (Store store =
        Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20).withExecution(execution))) {
      execution.yields.set(0);
      execution.parks.set(0);
      Thread thread =
          factory.newThread(
              () -> {
                for (int i = 0; i < transactions; i++) {
                  kind.run(store);
                }
              });
      thread.start();
      thread.join();
      return execution;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aVirtualThreadLetsOthersRunAfterALongTurn(Kind kind) throws InterruptedException {
    // Ten looks at the clock; some find that a turn has passed, and turns become longer.
    Counted counted = counted(Thread.ofVirtual().factory(), kind, TRANSACTIONS);
    assertThat(counted.yields.get() + counted.parks.get()).isBetween(1L, 10L);
  }

  @ParameterizedTest
  @EnumSource
  void aPlatformThreadDoesNot(Kind kind) throws InterruptedException {
    Counted counted = counted(Thread.ofPlatform().factory(), kind, 100 * TRANSACTIONS);
    assertThat(counted.yields.get()).isZero();
    assertThat(counted.parks.get()).isZero();
  }

  /** Its parks show whether others wait; they are rare while none do. */
  @Test
  void aThreadThatIsAloneHasLongTurnsThatEndWithParks() throws InterruptedException {
    Counted alone = counted(Thread.ofVirtual().factory(), Kind.READS, 100 * TRANSACTIONS);
    // A thousand looks: a few for turns that become longer, then one of 128.
    assertThat(alone.parks.get()).isBetween(5L, 20L);
    assertThat(alone.yields.get()).isLessThanOrEqualTo(1);
  }

  /** One after the other, so that each is a thread that had none of the last turns. */
  @Test
  void ofTheTurnsOfManyThreadsHalfEndWithAParkSoThatCarriersLookAtOtherQueues()
      throws InterruptedException {
    Counted execution = new Counted();
    try (Store store =
        Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20).withExecution(execution))) {
      for (int i = 0; i < 200; i++) {
        Thread thread =
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int k = 0; k < 8; k++) {
                        Kind.READS.run(store);
                      }
                    });
        thread.join();
        execution.now.addAndGet(Turns.TURN_NANOS);
      }
    }
    assertThat(execution.parks.get()).isBetween(60L, 140L);
    assertThat(execution.yields.get()).isBetween(60L, 140L);
  }

  /** Threads that go on until each has had a turn; without yields the first ones never end. */
  @Test
  void eachOfManyThreadsThatDoNotBlockHasItsTurn() throws InterruptedException {
    int count = 50 * Runtime.getRuntime().availableProcessors();
    CountDownLatch turns = new CountDownLatch(count);
    List<Thread> threads = new ArrayList<>();
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20))) {
      for (int i = 0; i < count; i++) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      Kind.READS.run(store);
                      turns.countDown();
                      while (turns.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
                        Kind.READS.run(store);
                      }
                    }));
      }
      try {
        turns.await();
      } finally {
        threads.forEach(Thread::interrupt);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}

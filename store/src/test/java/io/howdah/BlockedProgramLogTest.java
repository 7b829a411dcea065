package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.log.commit.Lane;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The store's log makes no progress, and the program's log, which is told of that, does not return:
 * both lie on a disk that does not answer, say. Waits for durability end after their timeout all
 * the same.
 */
@Timeout(120)
final class BlockedProgramLogTest {

  private static final long WORD = 8192;

  /** The home of a lane that no context has leased; of the first partition. */
  private static final int NO_CONTEXT = 1 << 20;

  /** Time passes faster, and virtual threads park without a timer. */
  private static final class Hurried extends SystemThreads {
    private static final long FACTOR = 200;

    @Override
    public Thread start(String name, Runnable body) {
      return Execution.system().start(name, body);
    }

    @Override
    public long nanoTime() {
      return super.nanoTime() * FACTOR;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      super.parkNanos(blocker, 1 + nanos / FACTOR);
    }

    @Override
    public void park(Object blocker) {
      if (Thread.currentThread().isVirtual()) {
        LockSupport.park(blocker);
      } else {
        super.park(blocker);
      }
    }
  }

  /** Returns from no message until the test lets it. */
  private static final class StuckHandler extends Handler {
    final CountDownLatch isTold = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private final Logger logger;

    StuckHandler(String name) {
      logger = Logger.getLogger(name);
      logger.setLevel(Level.WARNING);
      logger.setUseParentHandlers(false);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord message) {
      isTold.countDown();
      boolean interrupted = true;
      while (interrupted) {
        try {
          mayReturn.await();
          interrupted = false;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }

    void letGo() {
      mayReturn.countDown();
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
      logger.setLevel(null);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void waitsOfVirtualThreadsEndWhileTheProgramsLogIsStuck() throws Exception {
    StuckHandler handler = new StuckHandler("io.howdah.log");
    LoggedStore logged =
        new LoggedStore(
            StoreOptions.defaults()
                .withMaxSize(1 << 20)
                .withPartitions(2)
                .withRingBytes(1 << 16)
                .withOrecs(1 << 12)
                .withDurabilityTimeout(Duration.ofSeconds(20))
                .withExecution(new Hurried()),
            SimulatedDisk.seeded(1).storage(),
            UnaryOperator.identity());
    Lane stuck = logged.log.lanes().lease(NO_CONTEXT, RedoRecordLayout.MIN_LENGTH, 0);
    assertThat(logged.log.lanes().spinForAppendLock(stuck, RedoRecordLayout.MIN_LENGTH)).isTrue();
    stuck.announce();
    try {
      Store store = logged.store;
      store.run(TxOptions.async(), tx -> tx.putLong(WORD, 1));
      handler.isTold.await();
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread waiter =
          Thread.startVirtualThread(
              () -> {
                try {
                  store.run(TxOptions.sync(), tx -> tx.putLong(WORD, 2));
                } catch (RuntimeException e) {
                  thrown.set(e);
                }
              });
      assertThat(waiter.join(Duration.ofSeconds(30))).as("the wait ends").isTrue();
      assertThat(thrown.get()).isInstanceOf(NotYetDurableException.class);
    } finally {
      handler.letGo();
      stuck.finish();
      logged.close();
    }
  }

  @Test
  void aCheckpointThatFailsSaysSoToItsCallerWhileTheProgramsLogIsStuck() throws Exception {
    StuckHandler handler = new StuckHandler("io.howdah.checkpoint");
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    try (Store store =
        Store.open(
            StoreOptions.defaults()
                .withStorage(disk.storage())
                .withMaxSize(1 << 20)
                .withPartitions(1)
                .withRingBytes(1 << 16)
                .withOrecs(1 << 10))) {
      try {
        store.run(tx -> tx.putLong(WORD, 1));
        disk.setFreeBytes(0);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller =
            Thread.startVirtualThread(
                () -> {
                  try {
                    store.admin().checkpoint();
                  } catch (RuntimeException e) {
                    thrown.set(e);
                  }
                });
        handler.isTold.await();
        assertThat(caller.join(Duration.ofSeconds(30))).as("the call ends").isTrue();
        assertThat(thrown.get()).isInstanceOf(StorageException.class);
      } finally {
        handler.letGo();
        disk.setFreeBytes(Long.MAX_VALUE);
      }
    }
  }
}

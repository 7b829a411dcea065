package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.Lane;
import io.howdah.testkit.SimulatedDisk;
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

  @Test
  void waitsOfVirtualThreadsEndWhileTheProgramsLogIsStuck() throws Exception {
    CountDownLatch isTold = new CountDownLatch(1);
    CountDownLatch mayReturn = new CountDownLatch(1);
    Handler handler =
        new Handler() {
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

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.howdah.log");
    logger.setLevel(Level.WARNING);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    LoggedStore logged =
        new LoggedStore(
            StoreOptions.defaults()
                .maxSize(1 << 20)
                .partitions(2)
                .ringBytes(1 << 16)
                .orecs(1 << 12)
                .durabilityTimeout(Duration.ofSeconds(20))
                .execution(new Hurried()),
            SimulatedDisk.seeded(1).storage(),
            UnaryOperator.identity());
    Lane stuck = logged.log.lanes().lease(NO_CONTEXT, RedoRecordLayout.MIN_LENGTH, 0);
    stuck.announce();
    try {
      Store store = logged.store;
      store.run(Durability.ASYNC, tx -> tx.putLong(WORD, 1));
      isTold.await();
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread waiter =
          Thread.startVirtualThread(
              () -> {
                try {
                  store.run(Durability.SYNC, tx -> tx.putLong(WORD, 2));
                } catch (RuntimeException e) {
                  thrown.set(e);
                }
              });
      assertThat(waiter.join(Duration.ofSeconds(30))).as("the wait ends").isTrue();
      assertThat(thrown.get()).isInstanceOf(NotYetDurableException.class);
    } finally {
      mayReturn.countDown();
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
      logger.setLevel(null);
      stuck.finish();
      logged.close();
    }
  }
}

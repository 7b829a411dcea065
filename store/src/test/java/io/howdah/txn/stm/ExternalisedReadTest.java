package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.NotYetDurableException;
import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A reader meets a write that no force has covered, and says what it saw: a power cut right then
 * must not take it back, whichever way it left the store (docs/protocol.md, R7).
 */
@Timeout(60)
final class ExternalisedReadTest {

  private static final long WORD = 8192;
  private static final long OTHER = 16384;

  /** How a reader that waits for durability tells what the word holds. */
  enum Way {
    RESULT {
      @Override
      long tell(Store store, Durability durability) {
        return store.<Long, RuntimeException>read(TxOptions.of(durability), tx -> tx.getLong(WORD));
      }
    },
    EXCEPTION {
      @Override
      long tell(Store store, Durability durability) {
        try {
          store.run(
              TxOptions.of(durability),
              tx -> {
                throw new Told(tx.getLong(WORD));
              });
          throw new AssertionError("the body's exception got lost");
        } catch (Told e) {
          return e.value;
        }
      }
    },
    FAILED_ALTERNATIVE {
      @Override
      long tell(Store store, Durability durability) {
        // The second alternative reads nothing, but that it ran tells what the first one saw.
        for (long guess = 0; ; guess++) {
          long guessed = guess;
          boolean right =
              store.call(
                  TxOptions.of(durability),
                  tx ->
                      tx.orElse(
                          first -> {
                            if (first.getLong(WORD) == guessed) {
                              first.retry();
                            }
                            return false;
                          },
                          second -> true));
          if (right) {
            return guess;
          }
        }
      }
    },
    WRITE_ELSEWHERE {
      @Override
      long tell(Store store, Durability durability) {
        store.run(TxOptions.of(durability), tx -> tx.putLong(OTHER, tx.getLong(WORD)));
        return store.<Long, RuntimeException>read(
            TxOptions.of(Durability.ASYNC), tx -> tx.getLong(OTHER));
      }
    },
    EXPLICIT {
      @Override
      long tell(Store store, Durability durability) {
        Session txSession = store.session();
        Tx tx = txSession.begin(TxOptions.of(durability));
        long value = tx.getLong(WORD);
        txSession.commit();
        return value;
      }
    };

    abstract long tell(Store store, Durability durability);
  }

  static final class Told extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final long value;

    Told(long value) {
      this.value = value;
    }
  }

  /** Nothing is forced unless somebody asks. */
  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(StoreOptions.MIN_SIZE)
        .withRingBytes(1 << 16)
        .withGroupCommitInterval(Duration.ofSeconds(10));
  }

  private static long afterAPowerCut(SimulatedDisk disk) {
    SimulatedDisk cut = disk.fork();
    cut.powerCut(CrashChoice.LOSE_ALL);
    try (Store store = Store.open(options(cut))) {
      return store.<Long, RuntimeException>read(tx -> tx.getLong(WORD));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatAReaderTellsIsThereAfterAPowerCut(Way way) {
    for (Durability durability : new Durability[] {Durability.SYNC, Durability.PARTITION}) {
      SimulatedDisk disk = SimulatedDisk.builder(1).build();
      try (Store store = Store.open(options(disk))) {
        for (long value = 1; value <= 3; value++) {
          long written = value;
          store.run(TxOptions.async(), tx -> tx.putLong(WORD, written));
          long told = way.tell(store, durability);
          assertThat(told).isEqualTo(written);
          assertThat(afterAPowerCut(disk)).as("%s", durability).isEqualTo(told);
        }
      }
    }
  }

  /** Where the time of a transaction ends that has read a write, outside of its body. */
  enum TimeEnds {
    IN_RETRY(100) {
      @Override
      void passTime(Store store, TxOptions how) {
        store.run(
            how,
            tx -> {
              if (tx.getLong(WORD) != 0) {
                throw tx.retry();
              }
            });
      }
    },
    /** After an attempt that has lost, while another transaction runs alone. */
    AT_THE_GATE(1) {
      @Override
      void passTime(Store store, TxOptions how) throws InterruptedException {
        CountDownLatch isAlone = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        Thread other =
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      try (Session session = store.session()) {
                        session.begin(TxOptions.async().withIrrevocable());
                        isAlone.countDown();
                        isOver.await();
                      } catch (InterruptedException e) {
                        throw new AssertionError(e);
                      }
                    });
        try {
          store.run(
              how,
              tx -> {
                tx.getLong(WORD);
                overwrite(store);
                other.start();
                isAlone.await();
                tx.getLong(OTHER);
              });
        } finally {
          isOver.countDown();
          other.join();
        }
      }
    },
    BEFORE_THE_NEXT_ATTEMPT(100) {
      @Override
      void passTime(Store store, TxOptions how) throws InterruptedException {
        store.run(
            how,
            tx -> {
              tx.getLong(WORD);
              overwrite(store);
              try {
                tx.getLong(OTHER);
              } finally {
                Thread.sleep(2 * LIMIT.toMillis());
              }
            });
      }
    };

    private static final Duration LIMIT = Duration.ofMillis(300);

    private final int maxAborts;

    TimeEnds(int maxAborts) {
      this.maxAborts = maxAborts;
    }

    /** Lets an attempt lose that has read the one word and will read the other. */
    private static void overwrite(Store store) {
      store.run(
          TxOptions.async(),
          tx -> {
            tx.putLong(WORD, 2);
            tx.putLong(OTHER, 2);
          });
    }

    abstract void passTime(Store store, TxOptions how) throws InterruptedException;
  }

  /** That the transaction waited, or lost, tells what it has read. */
  @ParameterizedTest
  @EnumSource
  void aTimeoutRestsOnWhatWasRead(TimeEnds where) {
    for (Durability durability : new Durability[] {Durability.SYNC, Durability.PARTITION}) {
      SimulatedDisk disk = SimulatedDisk.builder(1).build();
      try (Store store = Store.open(options(disk).withIrrevocableAfterAborts(where.maxAborts))) {
        long lsn = store.run(TxOptions.async(), tx -> tx.putLong(WORD, 1));
        TransactionTimeoutException thrown =
            catchThrowableOfType(
                TransactionTimeoutException.class,
                () ->
                    where.passTime(store, TxOptions.of(durability).withTimeLimit(TimeEnds.LIMIT)));
        assertThat(thrown).isNotNull();
        if (!store.durability().isStable(lsn)) {
          assertThat(thrown.getSuppressed())
              .as("what says that it is not durable yet")
              .singleElement(InstanceOfAssertFactories.type(NotYetDurableException.class))
              .returns(lsn, NotYetDurableException::lsn);
        }
      }
    }
  }

  /** The same reader without a wait: what it tells is lost, so the test above could fail. */
  @Test
  void anAsyncReaderMayTellWhatAPowerCutTakesBack() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    try (Store store = Store.open(options(disk))) {
      store.run(TxOptions.sync(), tx -> tx.putLong(WORD, 1));
      store.run(TxOptions.async(), tx -> tx.putLong(WORD, 2));
      assertThat(Way.RESULT.tell(store, Durability.ASYNC)).isEqualTo(2);
      assertThat(afterAPowerCut(disk)).isEqualTo(1);
    }
  }
}

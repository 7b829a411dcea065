package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.Tx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A reader that has lost reads a kept snapshot and keeps no reads. If it wants to wait for a change
 * then, it runs once more with its reads, also while it runs alone after too many conflicts.
 */
@Timeout(60)
final class RetryOnASnapshotTest {

  private static final int WORDS = 6000;
  private static final long FIRST = 8192;
  private static final long OTHER = FIRST + 64;
  private static final long AWAITED = FIRST + 128;

  private static WordEngine store(int maxAborts) {
    return WordEngine.inMemory(
        EngineOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(2)
            .withIrrevocableAfterAborts(maxAborts));
  }

  private static void overwrite(WordEngine store) {
    store.run(
        tx -> {
          tx.putLong(FIRST, tx.getLong(FIRST) + 1);
          tx.putLong(OTHER, tx.getLong(OTHER) + 1);
        });
  }

  /** Reads, and loses against a transaction of its own if it is to. */
  private static void read(WordEngine store, Tx tx, boolean isLong, boolean loses) {
    tx.getLong(FIRST);
    for (int i = 3; isLong && i < WORDS; i++) {
      tx.getLong(FIRST + 64L * i);
      if (loses && i == 500) {
        overwrite(store);
      }
    }
    if (loses && !isLong) {
      overwrite(store);
    }
    tx.getLong(OTHER);
  }

  @ParameterizedTest
  @CsvSource({
    "1, true",
    "2, true",
    "3, true",
    "4, true",
    "1, false",
    "2, false",
    "3, false",
    "4, false"
  })
  void aReaderThatHasLostOftenWaitsForAChange(int maxAborts, boolean isLong) throws Exception {
    WordEngine store = store(maxAborts);
    try {
      AtomicInteger attempts = new AtomicInteger();
      CompletableFuture<Long> found =
          CompletableFuture.supplyAsync(
              () ->
                  store.read(
                      tx -> {
                        read(store, tx, isLong, attempts.incrementAndGet() <= maxAborts);
                        long value = tx.getLong(AWAITED);
                        if (value == 0) {
                          throw tx.retry();
                        }
                        return value;
                      }),
              Thread::startVirtualThread);
      while (store.retries() == 0 && !found.isDone()) {
        Thread.sleep(1);
      }
      store.run(tx -> tx.putLong(AWAITED, 7));
      assertThat(found.get(30, TimeUnit.SECONDS)).isEqualTo(7);
      assertThat(store.irrevocableRunning()).isZero();
    } finally {
      store.close();
    }
  }
}

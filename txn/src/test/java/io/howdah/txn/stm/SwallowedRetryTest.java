package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.RetryException;
import io.howdah.txn.Tx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body that swallows its retry waits and runs again all the same, however much it reads then. */
@Timeout(60)
final class SwallowedRetryTest {

  private static final int WORDS = 6000;
  private static final long AWAITED = 8192;
  private static final long FIRST = AWAITED + 64;

  private static Long readAfterRetry(Tx tx, int words) {
    long value = tx.getLong(AWAITED);
    if (value == 0) {
      try {
        throw tx.retry();
      } catch (RetryException e) {
        // as a body that catches everything
      }
    }
    for (int i = 0; i < words; i++) {
      tx.getLong(FIRST + 64L * i);
    }
    return value;
  }

  private static void wakes(int words) throws Exception {
    WordEngine store =
        WordEngine.inMemory(EngineOptions.defaults().withMaxSize(1 << 20).withPartitions(2));
    try {
      CompletableFuture<Long> found =
          CompletableFuture.supplyAsync(
              () -> store.read(tx -> readAfterRetry(tx, words)), Thread::startVirtualThread);
      while (store.retries() == 0 && !found.isDone()) {
        Thread.sleep(1);
      }
      store.run(tx -> tx.putLong(AWAITED, 7));
      assertThat(found.get(10, TimeUnit.SECONDS)).isEqualTo(7);
    } finally {
      store.close();
    }
  }

  @Test
  void aShortOneIsWoken() throws Exception {
    wakes(10);
  }

  @Test
  void aLongOneIsWoken() throws Exception {
    wakes(WORDS);
  }
}

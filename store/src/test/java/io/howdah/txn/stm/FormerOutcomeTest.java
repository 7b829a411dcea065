package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A transaction that ends before its body has run rests on no commit of an earlier one. */
@Timeout(60)
final class FormerOutcomeTest {

  @Test
  void aTransactionThatNeverBeganDoesNotSpeakOfAnEarlierCommit() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    try (Store store =
        Store.open(
            StoreOptions.defaults()
                .withStorage(disk.storage())
                .withMaxSize(1 << 20)
                .withOrecs(1 << 10)
                .withPartitions(2)
                .withRingBytes(1 << 16)
                .withGroupCommitInterval(Duration.ofSeconds(10)))) {
      store.run(TxOptions.sync(), tx -> tx.putLong(8192, 1)); // the flusher has work, then rests
      long lsn = store.run(TxOptions.async(), tx -> tx.putLong(8192, 2));
      Throwable thrown =
          catchThrowable(
              () ->
                  store.run(
                      TxOptions.sync().withTimeLimit(Duration.ofNanos(1)),
                      tx -> tx.putLong(8192, 3)));
      assertThat(thrown).isInstanceOf(TransactionTimeoutException.class);
      assertThat(thrown.getSuppressed()).isEmpty();
      assertThat(lsn).isPositive();
    }
  }
}

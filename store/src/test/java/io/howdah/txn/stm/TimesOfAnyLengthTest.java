package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.DurableScope;
import io.howdah.Receipt;
import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Time limits and timeouts from the shortest to the longest duration. */
final class TimesOfAnyLengthTest {

  @Test
  void timesOfAnyLengthAreTaken() {
    Duration shortest = Duration.ofSeconds(Long.MIN_VALUE);
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20));
    Receipt<Integer> commit =
        store.callWithReceipt(
            TxOptions.sync().withTimeLimit(longest),
            tx -> {
              tx.putLong(8192, 1);
              return 1;
            });
    for (Duration timeout : List.of(shortest, shortest.plusNanos(1), longest)) {
      assertThat(commit.await(timeout)).isTrue();
      assertThat(commit.await(Durability.PARTITION, timeout)).isTrue();
      assertThat(store.durability().awaitStable(commit.lsn(), timeout)).isTrue();
      try (DurableScope scope = store.durability().scope(Durability.PARTITION)) {
        scope.run(tx -> tx.putLong(8192, 2));
        assertThat(scope.await(timeout)).isTrue();
      }
    }
    Session openSession = store.session();
    Tx open = openSession.begin();
    assertThat(store.close(shortest)).as("an open transaction is not waited for").isFalse();
    assertThat(open).isNotNull();
  }
}

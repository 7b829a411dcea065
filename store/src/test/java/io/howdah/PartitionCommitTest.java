package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Partition commit, on real files. */
@Timeout(120)
final class PartitionCommitTest {

  private static final long ONE = 8192;
  private static final long TWO = ONE + 4096;

  @TempDir Path directory;

  /** Nothing becomes stable unless somebody asks. */
  private Store open() {
    return Store.open(
        directory,
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(4)
            .withGroupCommitInterval(Duration.ofSeconds(10)));
  }

  private static long word(Store store, long address) {
    return store.read(TxOptions.async(), tx -> tx.getLong(address));
  }

  private static long put(Store store, long address, long value) {
    return store.run(TxOptions.async(), tx -> tx.putLong(address, value));
  }

  /** Runs in another context than the caller's last transactions, so through another partition. */
  private static void elsewhere(Store store, Runnable transaction) {
    Session heldSession = store.session();
    heldSession.begin(TxOptions.async());
    try {
      transaction.run();
    } finally {
      heldSession.abort();
    }
  }

  private static void copy(Store store, Durability durability) {
    elsewhere(
        store, () -> store.run(TxOptions.of(durability), tx -> tx.putLong(TWO, tx.getLong(ONE))));
  }

  @Test
  void anIndependentCommitReturnsAndIsFoundAgain() {
    try (Store store = open()) {
      for (int i = 0; i < 20; i++) {
        long value = i;
        Receipt<Long> commit =
            store.callWithReceipt(
                TxOptions.partition(),
                tx -> {
                  tx.putLong(ONE, value);
                  return value;
                });
        assertThat(commit.isDurable(Durability.PARTITION)).isTrue();
      }
    }
    try (Store store = open()) {
      assertThat(word(store, ONE)).isEqualTo(19);
    }
  }

  @Test
  void aCommitWaitsForWhatItHasRead() {
    try (Store store = open()) {
      long source = put(store, ONE, 5);
      copy(store, Durability.PARTITION);
      assertThat(store.durability().isStable(source)).isTrue();
    }
  }

  @Test
  void aResultWithoutARecordWaitsForItsSources() {
    try (Store store = open()) {
      long source = put(store, ONE, 5);
      assertThat(
              store.<Long, RuntimeException>read(
                  TxOptions.of(Durability.PARTITION), tx -> tx.getLong(ONE)))
          .isEqualTo(5);
      assertThat(store.durability().isStable(source)).isTrue();
    }
  }

  @Test
  void dependentCommitsAreCounted() {
    try (Store store = open()) {
      long before = store.admin().stats().dependentCommits();
      store.run(tx -> tx.putLong(TWO, 1));
      assertThat(store.admin().stats().dependentCommits()).isEqualTo(before);
      put(store, ONE, 5);
      copy(store, Durability.SYNC);
      assertThat(store.admin().stats().dependentCommits()).isEqualTo(before + 1);
    }
  }

  @Test
  void commitsInAllModesSideBySideAreFoundAgain() throws Exception {
    StoreOptions options = StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2);
    try (Store store = Store.open(directory, options)) {
      Thread[] threads = new Thread[4];
      for (int t = 0; t < threads.length; t++) {
        long address = ONE + t * 4096L;
        threads[t] =
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (Durability mode : Durability.values()) {
                        for (int i = 0; i < 100; i++) {
                          store.run(
                              TxOptions.of(mode),
                              tx -> tx.putLong(address, tx.getLong(address) + 1));
                        }
                      }
                    });
      }
      for (Thread thread : threads) {
        thread.join();
      }
      long last = store.run(TxOptions.async(), tx -> tx.putLong(TWO + 65536, 1));
      assertThat(store.durability().awaitStable(last, Duration.ofSeconds(30))).isTrue();
    }
    try (Store store = Store.open(directory, StoreOptions.defaults())) {
      for (int t = 0; t < 4; t++) {
        assertThat(word(store, ONE + t * 4096L)).isEqualTo(300);
      }
    }
  }
}

package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.store.research.Research;
import io.howdah.txn.DependentCommitException;
import io.howdah.txn.Durability;
import io.howdah.txn.PartitionCommits;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Partition commit in its three kinds, and the store as published, on real files. */
@Timeout(120)
final class PartitionCommitTest {

  private static final long ONE = 8192;
  private static final long TWO = ONE + 4096;

  @TempDir Path directory;

  /** Nothing becomes stable unless somebody asks. */
  private Store open(PartitionCommits commits) {
    return Store.open(
        directory,
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(4)
            .withResearch(Research.none().withPartitionCommits(commits))
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

  @ParameterizedTest
  @EnumSource(PartitionCommits.class)
  void anIndependentCommitReturnsAndIsFoundAgain(PartitionCommits commits) {
    try (Store store = open(commits)) {
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
    try (Store store = open(PartitionCommits.CHECKED)) {
      assertThat(word(store, ONE)).isEqualTo(19);
    }
  }

  @Test
  void aCheckedCommitWaitsForWhatItHasRead() {
    try (Store store = open(PartitionCommits.CHECKED)) {
      long source = put(store, ONE, 5);
      copy(store, Durability.PARTITION);
      assertThat(store.durability().isStable(source)).isTrue();
    }
  }

  @Test
  void aCheckedResultWithoutARecordWaitsForItsSources() {
    try (Store store = open(PartitionCommits.CHECKED)) {
      long source = put(store, ONE, 5);
      assertThat(
              store.<Long, RuntimeException>read(
                  TxOptions.of(Durability.PARTITION), tx -> tx.getLong(ONE)))
          .isEqualTo(5);
      assertThat(store.durability().isStable(source)).isTrue();
    }
  }

  @Test
  void aRefusingStoreThrowsWhereACommitDependsOnAnotherPartition() {
    try (Store store = open(PartitionCommits.UNCHECKED_REFUSING)) {
      // The flusher is past the look that it takes when it starts.
      store.run(TxOptions.sync(), tx -> tx.putLong(ONE, 4));
      long voids = store.admin().stats().voids();
      long source = put(store, ONE, 5);
      assertThatThrownBy(() -> copy(store, Durability.PARTITION))
          .isInstanceOf(DependentCommitException.class)
          .hasMessageContaining("LSN " + source);
      assertThat(word(store, TWO)).isZero();
      assertThat(store.admin().stats().voids()).isEqualTo(voids + 1);
      // Overwriting counts as reading: the orec names the last writer alone.
      long newer = put(store, ONE, 5);
      assertThatThrownBy(
              () ->
                  elsewhere(
                      store, () -> store.run(TxOptions.partition(), tx -> tx.putLong(ONE, 1))))
          .isInstanceOf(DependentCommitException.class);
      store.durability().awaitStable(newer);
      copy(store, Durability.PARTITION);
      assertThat(word(store, TWO)).isEqualTo(5);
      // In the other modes nothing is refused.
      put(store, ONE, 6);
      copy(store, Durability.SYNC);
      assertThat(word(store, TWO)).isEqualTo(6);
    }
  }

  @Test
  void dependentCommitsAreCounted() {
    try (Store store = open(PartitionCommits.CHECKED)) {
      long before = store.admin().stats().dependentCommits();
      store.run(tx -> tx.putLong(TWO, 1));
      assertThat(store.admin().stats().dependentCommits()).isEqualTo(before);
      put(store, ONE, 5);
      copy(store, Durability.SYNC);
      assertThat(store.admin().stats().dependentCommits()).isEqualTo(before + 1);
    }
  }

  @Test
  void aStoreAsPublishedCommitsInAllModesAndIsFoundAgain() throws Exception {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(2)
            .withResearch(Research.asPublished());
    assertThat(options.research().hasOwnLogs()).isTrue();
    assertThat(options.research().partitionCommits()).isEqualTo(PartitionCommits.UNCHECKED);
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

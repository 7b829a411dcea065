package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.DurableScope;
import io.howdah.LoggedStore;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.store.research.Research;
import io.howdah.txn.Durability;
import io.howdah.txn.PartitionCommits;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which records of a store with unchecked partition commits recovery replays unconditionally. */
@Timeout(60)
final class UncheckedFlagTest {

  private static final long WORD = 8192;
  private static final int KEYS = 3000;

  private final LoggedStore logged =
      new LoggedStore(
          StoreOptions.defaults()
              .withMaxSize(1 << 20)
              .withPartitions(2)
              .withRingBytes(1 << 20)
              .withOrecs(1 << 12)
              .withResearch(Research.none().withPartitionCommits(PartitionCommits.UNCHECKED)));

  @Test
  void onlyAScopeInPartitionModeCommitsUnchecked() {
    for (Durability durability : Durability.values()) {
      long lsn;
      try (DurableScope scope = logged.store.durability().scope(durability)) {
        lsn = scope.run(tx -> tx.putLong(WORD, 1));
        scope.call(
            tx -> {
              tx.putLong(WORD, 2);
              return 0;
            });
      }
      assertThat(
              logged.allByLsn().values().stream().skip(lsn - 1).map(LoggedStore.Found::isUnchecked))
          .as("%s", durability)
          .hasSizeGreaterThanOrEqualTo(1)
          .containsOnly(durability == Durability.PARTITION);
    }
    logged.close();
  }

  /** It moves entries of transactions that were promised more. */
  @Test
  void theGrowthOfATableIsChecked() {
    PersistentMap<Long, Long> map = logged.store.map("map", Codec.int64(), Codec.int64());
    long commits = logged.store.admin().stats().commits();
    long unchecked = logged.allByLsn().values().stream().filter(f -> f.isUnchecked()).count();
    for (long key = 0; key < KEYS; key++) {
      long k = key;
      logged.store.run(TxOptions.partition(), tx -> map.put(tx, k, k));
    }
    assertThat(logged.store.admin().stats().commits() - commits)
        .as("with growth")
        .isGreaterThan(KEYS);
    assertThat(logged.allByLsn().values().stream().filter(f -> f.isUnchecked()).count() - unchecked)
        .isEqualTo(KEYS);
    logged.close();
  }
}

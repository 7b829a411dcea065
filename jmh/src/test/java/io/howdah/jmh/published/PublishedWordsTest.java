package io.howdah.jmh.published;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.StoreOptions;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
final class PublishedWordsTest {

  private static final long HEAP_BYTES = 4 << 20;
  private static final int THREADS = 2;

  @TempDir Path folder;

  private PublishedWords fill() throws Exception {
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(HEAP_BYTES));
    return PublishedWords.fill(folder, options, HEAP_BYTES, THREADS);
  }

  /** One record for each commit; replayed in the order of LSNs they make what the store holds. */
  @ParameterizedTest
  @EnumSource(Durability.class)
  void theLogsHoldWhatTheStoreHolds(Durability durability) throws Exception {
    long commits;
    TreeMap<Long, PublishedLog.Found> all = new TreeMap<>();
    Map<Long, Long> replayed = new HashMap<>();
    PublishedWords words = fill();
    try {
      commits = words.run(durability, THREADS, 5_000_000).operations();
      words.verify();
      if (durability != Durability.ASYNC) {
        assertThat(words.forces()).isPositive();
      }
      words.forceAll();
      for (int thread = 0; thread < THREADS; thread++) {
        List<PublishedLog.Found> found = PublishedLog.read(folder.resolve("log-" + thread));
        assertThat(found).isNotEmpty();
        found.forEach(record -> assertThat(all.put(record.lsn(), record)).isNull());
      }
      assertThat((long) all.size()).isEqualTo(commits);
      for (PublishedLog.Found record : all.values()) {
        for (int i = 0; i < record.addresses().length; i++) {
          replayed.put(record.addresses()[i], record.values()[i]);
        }
      }
      words
          .store()
          .read(
              TxOptions.async(),
              tx -> {
                replayed.forEach(
                    (address, value) -> assertThat(tx.getLong(address)).isEqualTo(value));
                return 0;
              });
    } finally {
      words.close();
    }
  }

  @Test
  void aThreadThatWaitsAtIntervalsEndsWithAWait() throws Exception {
    try (PublishedWords words = fill()) {
      words.splitPhase(Durability.PARTITION, THREADS, 5_000_000, 1_000_000);
      assertThat(words.unforcedBytes()).isZero();
      words.verify();
    }
  }

  /** The model's difference from the product: one commit's log does not wait for another's. */
  @Test
  void aPartitionWaitForcesOneLogAndAStableWaitAllOfThem() throws Exception {
    try (PublishedLog log = new PublishedLog(folder, THREADS)) {
      long[] address = {8192};
      log.log(0).announce();
      log.log(1).announce();
      log.log(1).append(2, address, new long[] {2});
      log.log(1).awaitOwn();
      assertThat(log.stable()).as("LSN 1 is announced").isZero();
      assertThat(PublishedLog.read(folder.resolve("log-1"))).hasSize(1);
      assertThat(PublishedLog.read(folder.resolve("log-0"))).isEmpty();
      log.log(0).append(1, address, new long[] {1});
      log.log(1).awaitStable();
      assertThat(log.stable()).isEqualTo(2);
      assertThat(PublishedLog.read(folder.resolve("log-0"))).hasSize(1);
    }
  }
}

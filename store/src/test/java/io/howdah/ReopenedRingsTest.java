package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store that is opened with another ring size than it was created with: its rings stay as they
 * are, and segments and limits of the log follow them.
 */
@Timeout(60)
final class ReopenedRingsTest {

  private static final int SMALLEST_BYTES = 1 << 16;

  private final SimulatedDisk disk = SimulatedDisk.builder(5).capacityBytes(64 << 20).build();

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withDurabilityTimeout(Duration.ofSeconds(5))
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  @Test
  void aSmallerRingSizeLeavesSegmentsThatTakeTheStoresLongestRecords() {
    int words = 14_000;
    long at;
    try (Store store = Store.open(options())) {
      at = store.call(tx -> tx.allocate(8L * words));
    }
    StoreOptions smaller =
        options().withRingBytes(SMALLEST_BYTES).withLogSegmentBytes(SMALLEST_BYTES);
    try (Store store = Store.open(smaller)) {
      assertThat(store.admin().options().ringBytes()).isEqualTo(1 << 20);
      store.run(
          TxOptions.sync(),
          tx -> {
            for (int i = 0; i < words; i++) {
              tx.putLong(at + 8L * i, i + 1);
            }
          });
    }
    try (Store store = Store.open(options())) {
      assertThat((long) store.read(tx -> tx.getLong(at + 8L * (words - 1)))).isEqualTo(words);
    }
  }

  @Test
  void theLimitOfTheLogFollowsTheRingsThatTheStoreHas() {
    long limit = 8L * SMALLEST_BYTES;
    try (Store store = Store.open(options().withMaxLogBytes(limit).withRingBytes(SMALLEST_BYTES))) {
      assertThat(store.admin().checkpointStats().maxLogBytes()).isEqualTo(limit);
    }
    try (Store store = Store.open(options().withMaxLogBytes(limit))) {
      assertThat(store.admin().options().ringBytes()).isEqualTo(SMALLEST_BYTES);
      assertThat(store.admin().checkpointStats().maxLogBytes()).isEqualTo(limit);
    }
  }
}

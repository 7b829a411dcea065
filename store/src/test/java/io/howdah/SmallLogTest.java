package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Backing;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The lengths of rings, segments and log that options allow, with one another: less than eight
 * rings of log counts as eight, and each of these stores opens, commits and opens again.
 */
final class SmallLogTest {

  @ParameterizedTest
  @CsvSource({
    "65536, 65536, 524288",
    "131072, 65536, 524288",
    "1048576, 65536, 524288",
    "1048576, 67108864, 524288",
    "4194304, 1048576, 8388607",
    "65536, 67108864, 524288",
    "65536, 65536, 0",
    "4194304, 65536, 0"
  })
  void anyLengthsOfRingsSegmentsAndLogMakeAStore(int ring, int segment, long log) {
    SimulatedDisk disk = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    StoreOptions given =
        StoreOptions.defaults()
            .withMaxSize(1 << 18)
            .withPartitions(1)
            .withRingBytes(ring)
            .withLogSegmentBytes(segment)
            .withOrecs(1 << 10)
            .withBacking(Backing.RESIDENT)
            .withStorage(disk.storage());
    StoreOptions options = log == 0 ? given : given.withMaxLogBytes(log);
    for (int opening = 1; opening <= 2; opening++) {
      try (Store store = Store.open(options.withStorage(disk.storage()))) {
        for (int i = 0; i < 200; i++) {
          store.run(
              TxOptions.async(),
              tx -> {
                if (tx.root(0) == 0) {
                  tx.root(0, tx.allocate(1 << 13));
                }
                for (int word = 0; word < 1 << 10; word++) {
                  tx.putLong(tx.root(0) + 8L * word, tx.getLong(tx.root(0) + 8L * word) + 1);
                }
              });
        }
        store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 0));
        long value = store.read(tx -> tx.getLong(tx.root(0) + 8));
        assertThat(value).isEqualTo(200L * opening);
        assertThat(store.admin().checkpointStats().logBytes()).isPositive();
      }
    }
  }
}

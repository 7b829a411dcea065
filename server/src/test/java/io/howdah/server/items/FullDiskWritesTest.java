package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Writes on a full disk: refused with a reply, and without a wait that keeps an event loop. */
final class FullDiskWritesTest {

  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
  private static final long NOW = 1_700_000_000;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  @Test
  void aWriteOnAFullDiskIsRefusedAndKeepsNoEventLoop() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            ConnectionCache cache =
                new ItemStore(store, new ItemStoreOptions(1 << 20, true, null, () -> NOW))
                    .connect();
            disk.setFreeBytes(0);
            Throwable first = catchThrowable(() -> fill(cache));
            long before = execution.nanoTime();
            Throwable second = catchThrowable(() -> fill(cache));
            long waited = execution.nanoTime() - before;
            disk.setFreeBytes(1L << 30);
            assertThat(first).isInstanceOf(CacheFullException.class);
            assertThat(second).isInstanceOf(CacheFullException.class);
            assertThat(waited).isLessThan(Duration.ofMillis(500).toNanos());
          }
        });
  }

  private static void fill(ConnectionCache cache) {
    for (int i = 0; i < 10_000; i++) {
      cache.update(KEY, _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[1000]));
    }
  }

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withMaxSize(1 << 21)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withDurabilityTimeout(Duration.ofSeconds(1))
        .withCloseTimeout(Duration.ofSeconds(2));
  }
}

package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;

/** Reads while nothing becomes durable: a reply may have to wait for that, the read does not. */
@Timeout(120)
final class ReadsDoNotWaitTest {

  private static final long NOW = 1_700_000_000;
  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  @ParameterizedTest
  @NullSource
  @EnumSource
  void noReadOfTheItemsWaitsForTheDisk(@Nullable Durability awaited) {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            ItemStore items =
                new ItemStore(store, new ItemStoreOptions(1 << 20, true, awaited, () -> NOW));
            ConnectionCache cache = items.connect();
            disk.setFreeBytes(0);
            assertThatThrownBy(() -> fill(cache)).isInstanceOf(CacheFullException.class);
            assertThat(store.durability().isStable(cache.lsn())).isFalse();
            assertThat(cache.isDurable()).isEqualTo(awaited == null || awaited == Durability.ASYNC);
            long before = execution.nanoTime();
            ConnectionCache reader = items.connect();
            assertThat(reader.get(KEY)).isNotNull();
            reader.walk().next(10, (_, _) -> {});
            assertThat(items.size()).isOne();
            reader.statistics((_, _) -> {});
            items.sweep().batch();
            // In simulated time: a wait for the disk would take seconds, until its time limit.
            assertThat(execution.nanoTime() - before).isLessThan(Duration.ofMillis(500).toNanos());
            disk.setFreeBytes(1L << 30);
          }
        });
  }

  @ParameterizedTest
  @NullSource
  @EnumSource
  void aFlushThatComesDueOnAFullDiskDelaysNoRead(@Nullable Durability awaited) {
    long[] now = {NOW};
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            ItemStore items =
                new ItemStore(store, new ItemStoreOptions(1 << 20, true, awaited, () -> now[0]));
            ConnectionCache cache = items.connect();
            cache.flush(NOW + 10);
            disk.setFreeBytes(0);
            assertThatThrownBy(() -> fill(cache)).isInstanceOf(CacheFullException.class);
            assertThat(items.connect().get(KEY)).isNotNull();
            now[0] += 10;
            long before = execution.nanoTime();
            ConnectionCache reader = items.connect();
            assertThat(reader.get(KEY)).isNull();
            assertThat(reader.peek(KEY)).isNull();
            reader.walk().next(10, (_, _) -> fail("an item that was flushed"));
            assertThat(execution.nanoTime() - before).isLessThan(Duration.ofMillis(500).toNanos());
            assertThatThrownBy(() -> reader.update(KEY, item -> item))
                .isInstanceOf(CacheFullException.class);
            before = execution.nanoTime(); // after one that has waited
            assertThatThrownBy(() -> reader.update(KEY, item -> item))
                .isInstanceOf(CacheFullException.class);
            assertThatThrownBy(() -> reader.flush(now[0])).isInstanceOf(CacheFullException.class);
            items.reclaimBatch(items.sweep());
            assertThat(reader.get(KEY)).isNull();
            assertThat(execution.nanoTime() - before).isLessThan(Duration.ofMillis(500).toNanos());
            disk.setFreeBytes(1L << 30);
            store.durability().awaitStable(cache.lsn());
            while (store.admin().stats().stall().isPresent()) {
              execution.parkNanos(this, Duration.ofMillis(10).toNanos());
            }
            now[0]++;
            byte[] later = "later".getBytes(StandardCharsets.US_ASCII);
            assertThat(reader.update(later, _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[10])))
                .isNotNull();
            assertThat(reader.get(KEY)).isNull();
            assertThat(reader.get(later)).isNotNull();
          }
        });
  }

  @Test
  void aReaderOfALargeValueThatWasReplacedFreesItNot() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            ItemStore items =
                new ItemStore(
                    store,
                    new ItemStoreOptions(1 << 20, true, null, () -> NOW),
                    Numbering.RANGE,
                    1 << 10);
            ConnectionCache cache = items.connect();
            byte[] large = new byte[100_000];
            cache.update(KEY, _ -> new Item(0, 0, Item.NEW_CAS, 0, large));
            ConnectionCache reader = items.connect();
            assertThat(reader.get(KEY)).isNotNull();
            cache.update(KEY, _ -> null);
            disk.setFreeBytes(0);
            assertThatThrownBy(() -> fill(cache)).isInstanceOf(CacheFullException.class);
            long before = execution.nanoTime();
            reader.release();
            assertThat(execution.nanoTime() - before).isLessThan(Duration.ofMillis(500).toNanos());
            disk.setFreeBytes(1L << 30);
            store.durability().awaitStable(cache.lsn());
            items.reclaim(items.sweep(), 100);
            assertThat(items.values().pendingBytes()).isZero();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"SYNC", "PARTITION"})
  void whatAFlushTookIsAnsweredWhenTheFlushIsDurable(Durability awaited) {
    execution.run(
        () -> {
          try (Store store =
              Store.open(options().withGroupCommitInterval(Duration.ofSeconds(10)))) {
            ItemStore items =
                new ItemStore(store, new ItemStoreOptions(1 << 20, true, awaited, () -> NOW));
            ConnectionCache cache = items.connect();
            cache.update(KEY, _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[10]));
            store.durability().awaitStable(cache.lsn());
            cache.flush(NOW);
            ConnectionCache reader = items.connect();
            assertThat(reader.get(KEY)).isNull();
            assertThat(reader.isDurable()).isFalse();
            ConnectionCache writer = items.connect();
            writer.update("other".getBytes(StandardCharsets.US_ASCII), _ -> null);
            assertThat(writer.isDurable()).isFalse();
            store.durability().awaitStable(cache.lsn());
            assertThat(reader.isDurable()).isTrue();
            assertThat(writer.isDurable()).isTrue();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"SYNC", "PARTITION"})
  void whatADelayedFlushTookIsAnsweredWhenItsTimeIsDurable(Durability awaited) {
    long[] now = {NOW};
    execution.run(
        () -> {
          try (Store store =
              Store.open(options().withGroupCommitInterval(Duration.ofSeconds(10)))) {
            ItemStore items =
                new ItemStore(store, new ItemStoreOptions(1 << 20, true, awaited, () -> now[0]));
            ConnectionCache cache = items.connect();
            cache.update(KEY, _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[10]));
            store.durability().awaitStable(cache.lsn());
            cache.flush(NOW + 10);
            now[0] += 10;
            ConnectionCache reader = items.connect();
            assertThat(reader.get(KEY)).isNull();
            assertThat(reader.isDurable()).isFalse();
            store.durability().awaitStable(cache.lsn());
            assertThat(reader.isDurable()).isTrue();
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

package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.LoadOptions;
import io.howdah.collections.PersistentMap;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bulk load waits for what its own mode says, whatever the mode of its store. */
final class LoadDurabilityTest {

  private static final Duration FORCE = Duration.ofSeconds(20);

  @ParameterizedTest
  @EnumSource
  void aLoadWaitsAsItsOptionsSayAndElseAsItsStoreDoes(Durability ofStore) {
    requireWait(ofStore, LoadOptions.defaults(), ofStore);
    for (Durability own : Durability.values()) {
      requireWait(ofStore, LoadOptions.defaults().withDurability(own), own);
    }
  }

  private static void requireWait(Durability ofStore, LoadOptions options, Durability awaited) {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(10_000_000).build();
    SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
    execution.run(
        () -> {
          try (Store store =
              Store.open(
                  StoreOptions.defaults()
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withDefaultDurability(ofStore)
                      .withMaxSize(1 << 20)
                      .withOrecs(1 << 10)
                      .withPartitions(2)
                      .withRingBytes(1 << 16)
                      .withLogSegmentBytes(1 << 16))) {
            PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
            disk.setDelayNanos(FORCE.toNanos());
            long began = execution.nanoTime();
            map.load(LongStream.range(0, 10).mapToObj(n -> Map.entry(n, n)).iterator(), options);
            boolean hasWaited = execution.nanoTime() - began >= FORCE.toNanos();
            disk.setDelayNanos(0);
            assertThat(hasWaited)
                .as("%s in a store of %s", options.durability(), ofStore)
                .isEqualTo(awaited != Durability.ASYNC);
          }
        });
  }
}

package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The numbers of CAS values: reserved on the disk before they are used. */
@Timeout(120)
final class NumberingTest {

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  @Test
  void aRangeIsDurableBeforeItIsUsed() {
    execution.run(
        () -> {
          try (Store store =
              Store.open(
                  StoreOptions.defaults()
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withMaxSize(1 << 21)
                      .withOrecs(1 << 10)
                      .withPartitions(2)
                      .withRingBytes(1 << 16))) {
            ServerState state = new ServerState(store);
            Numbering numbers = new Numbering(store, state, 2L * Numbering.BLOCK);
            Numbering.Block block = new Numbering.Block();
            long reserved = state.get(ServerState.RESERVED);
            int ranges = 0;
            for (int i = 0; i < 20; i++) {
              numbers.refill(block);
              if (state.get(ServerState.RESERVED) != reserved) {
                reserved = state.get(ServerState.RESERVED);
                ranges++;
                assertThat(store.durability().isStable(store.admin().stats().lsn())).isTrue();
              }
            }
            assertThat(ranges).isGreaterThan(5);
          }
        });
  }
}

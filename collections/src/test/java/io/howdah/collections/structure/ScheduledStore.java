package io.howdah.collections.structure;

import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.function.BiConsumer;

/** Small stores in memory whose threads run under a scheduler. */
final class ScheduledStore {

  private ScheduledStore() {}

  /** Runs a test on a new store. */
  static void run(Schedule schedule, long maxSize, BiConsumer<WordStore, SimulatedExecution> test) {
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .spuriousOneIn(0)
            .maxSteps(20_000_000)
            .build();
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    try (WordStore store =
        WordStore.inMemory(
            WordOptions.defaults()
                .withMemory(disk.storage()::allocate)
                .withMaxSize(maxSize)
                .withOrecs(1 << 10)
                .withPartitions(2)
                .withExecution(execution))) {
      test.accept(store, execution);
    }
  }
}

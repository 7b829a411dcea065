package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Partitions that nobody commits through hold nothing back. */
@Timeout(60)
final class IdlePartitionsTest {

  /** One that is busy and 63 that never were: a commit is durable after at most two forces. */
  @Test
  void aCommitBesideSixtyThreeIdlePartitionsTakesTwoForcesAtMost() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(1, 4)).maxSteps(20_000_000).build();
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    execution.run(
        () -> {
          try (Store store =
              Store.open(
                  StoreOptions.defaults()
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withMaxSize(1 << 20)
                      .withOrecs(1 << 8)
                      .withPartitions(64)
                      .withRingBytes(1 << 16))) {
            for (int i = 0; i < 50; i++) {
              long value = i;
              long forces = disk.operations(Operation.FORCE);
              long lsn = store.run(TxOptions.sync(), tx -> tx.putLong(8192, value));
              assertThat(store.durability().isStable(lsn)).isTrue();
              assertThat(disk.operations(Operation.FORCE) - forces).isBetween(1L, 2L);
            }
          }
        });
  }
}

package io.howdah.crashtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.History;
import io.howdah.testkit.CrashExplorer;
import io.howdah.testkit.CrashReport;
import io.howdah.testkit.CrashScenario;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A small workload through {@link Store} that dies at every operation on its files, its opening and
 * its close included, and whose recovery dies and is repeated. {@code -Dhowdah.crashStates=N}
 * multiplies the states that are tried; with 1 a sample of the operations is met on one kind of
 * disk.
 */
@Tag("scaled")
class EveryOperationTest {

  private static final int SCALE = Integer.getInteger("howdah.crashStates", 1);

  /** Of the operations, so many are met. */
  private static final int POINTS = SCALE == 1 ? Integer.getInteger("howdah.points", 4) : 10_000;

  private static CrashExplorer explorer(long seed) {
    CrashExplorer explorer =
        CrashExplorer.seeded(seed)
            .scheduled(s -> Schedule.random(s, 256))
            .states(2 * SCALE)
            .recoveries(SCALE, SCALE);
    return SCALE == 1 ? explorer.units(CrashUnit.SECTOR) : explorer;
  }

  /** Nothing that was promised is lost, and nothing else is found, wherever the process ends. */
  @Test
  void everyPromiseOutlivesADeathAtEveryOperation() {
    CrashReport report =
        explorer(1).kinds(CrashKind.KILL, CrashKind.POWER_CUT).points(POINTS).explore(Small::new);
    assertThat(report.points()).isGreaterThanOrEqualTo(Math.min(POINTS, 10));
    assertThat(report.crashesInRecovery()).isPositive();
  }

  /** Rings in the store's directory, and file systems that are lost while the machine runs on. */
  @Test
  void everyPromiseOutlivesALossOfTheFileSystemAtEveryOperation() {
    CrashReport report =
        explorer(2)
            .kinds(CrashKind.FILE_SYSTEM_SHUTDOWN, CrashKind.CONTAINER_REPLACED)
            .volatileBytes(SCALE % 2 == 0 ? 1 << 30 : 0)
            .points(POINTS)
            .explore(Small::new);
    assertThat(report.points()).isGreaterThanOrEqualTo(Math.min(POINTS, 10));
  }

  /** Each operation fails, alone or with all later ones of its kind, or finds the disk full. */
  @Test
  void everyPromiseOutlivesAFaultAtEveryOperation() {
    CrashReport report =
        explorer(3)
            .kinds(CrashKind.KILL, CrashKind.POWER_CUT)
            .failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN) // the image is folded in place
            .points(0)
            .faults(POINTS)
            .explore(Small::new);
    assertThat(report.points()).isGreaterThanOrEqualTo(Math.min(POINTS, 10));
  }

  /** The process is killed between any two accesses to shared memory or files. */
  @Test
  void everyPromiseOutlivesAKillBetweenAnyTwoSteps() {
    CrashReport report =
        explorer(4)
            .kinds(CrashKind.KILL, CrashKind.POWER_CUT)
            .points(0)
            .steps(POINTS)
            .explore(Small::new);
    assertThat(report.points()).isGreaterThanOrEqualTo(Math.min(POINTS, 10));
  }

  /** Five transactions in all modes, one of them larger than a record may be. */
  private static final class Small implements CrashScenario {

    private final History history = new History();

    private static StoreOptions options(Machine machine) {
      return StoreOptions.defaults()
          .withStorage(machine.storage())
          .withExecution(machine.execution())
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(256)
          .withMaxSize(1 << 17);
    }

    @Override
    public void prepare(Machine machine) {
      try (Store store = Store.open(options(machine))) {
        CellStore.create(store);
        commit(store, Durability.SYNC, 0, 1);
      }
    }

    @Override
    public void work(Machine machine) {
      try (Store store = Store.open(options(machine))) {
        commit(store, Durability.ASYNC, 0, 2);
        commit(store, Durability.SYNC, 2, 1);
        commit(store, Durability.ASYNC, 1, CellStore.WIDE);
        commit(store, Durability.PARTITION, 1, 3);
        read(store);
        commit(store, Durability.ASYNC, 2, 0);
      }
    }

    private void commit(Store store, Durability durability, int from, int to) {
      CellStore cells = CellStore.of(store);
      Attempt attempt = history.begin(false);
      long lsn =
          store
              .callWithReceipt(
                  TxOptions.of(durability),
                  tx -> {
                    attempt.restart();
                    cells.read(tx, attempt, from);
                    cells.write(tx, attempt, to);
                    cells.mark(tx, attempt);
                    return 0;
                  })
              .lsn();
      if (durability != Durability.ASYNC) {
        attempt.durable(lsn);
      } else {
        attempt.returned(lsn);
      }
    }

    private void read(Store store) {
      CellStore cells = CellStore.of(store);
      Attempt attempt = history.begin(true);
      TxOptions how = TxOptions.sync().withReadOnly();
      attempt.durable(
          store
              .callWithReceipt(
                  how,
                  tx -> {
                    attempt.restart();
                    for (int cell : List.of(0, 1, 2)) {
                      cells.read(tx, attempt, cell);
                    }
                    return 0;
                  })
              .lsn());
    }

    @Override
    public void check(Machine machine) {
      boolean ringsMayBeGone =
          machine.mayHaveLostUnforced() || machine.hasMet(CrashKind.CONTAINER_REPLACED);
      History.Ending ending = ringsMayBeGone ? History.Ending.POWER_CUT : History.Ending.KILLED;
      History found = history.unjudged();
      try (Store store = Store.open(options(machine))) {
        CellStore.judge(store, found, ending);
        // It takes new work, and keeps what it has served.
        CellStore.create(store);
        CellStore.judge(store, found, History.Ending.CLOSED);
      }
    }
  }
}

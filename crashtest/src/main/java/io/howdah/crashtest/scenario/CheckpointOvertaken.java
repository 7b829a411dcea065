package io.howdah.crashtest.scenario;

import io.howdah.core.HowdahException;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.History;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.CrashMoment;
import io.howdah.testkit.CrashStates;
import io.howdah.testkit.CrashUnit;
import io.howdah.testkit.Schedule;
import io.howdah.testkit.SimulatedDisk;
import io.howdah.testkit.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Store;
import io.howdah.txn.StoreOptions;
import io.howdah.txn.TxOptions;
import java.util.SplittableRandom;

/**
 * A commit is held somewhere between its first and its last step while a whole checkpoint is taken
 * beside it, which was itself held where its round turns; then both go on, another checkpoint
 * follows, and the machine dies. What the first missed the second must not lose.
 */
final class CheckpointOvertaken implements Scenario {

  private static final String CHECKPOINT = "howdah-checkpoint";

  /** Past the steps in which a checkpoint turns its round, takes its mark and drains. */
  private static final int TURN_STEPS = 80;

  /** Past all steps of a small transaction. */
  private static final int COMMIT_STEPS = 200;

  /** Enough for a checkpoint of some pages. */
  private static final int PATIENCE = 60_000;

  /** About as many steps as a checkpoint of some pages takes. */
  private static final int LONGEST_CHECKPOINT = 20_000;

  private static final int MOST_BEFORE = 4;

  CheckpointOvertaken() {}

  @Override
  public String name() {
    return "checkpoint-overtaken";
  }

  @Override
  public String hazard() {
    return "a commit that stands still during a checkpoint is lost by the next one";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed()).run());
    }
  }

  private static final class Run {

    private final SplittableRandom random;
    private final SimulatedExecution execution;
    private final SimulatedDisk disk;
    private final NamedThreads threads;
    private final History history = new History();
    private HoldingSchedule schedule;
    private History.Ending ending = History.Ending.KILLED;

    // What the threads of one life tell each other; one of them runs at a time.
    private long heldSlot;
    private long holdAfter;
    private boolean heldDone;
    private int asked;
    private int taken;

    Run(long seed) {
      random = new SplittableRandom(seed);
      schedule = new HoldingSchedule(seed);
      execution = SimulatedExecution.builder(Schedule.roundRobin(1)).maxSteps(3_000_000).build();
      threads = new NamedThreads(execution);
      CrashUnit[] units = CrashUnit.values();
      disk =
          SimulatedDisk.builder(seed)
              .unit(units[random.nextInt(units.length)])
              .volatileBytes(random.nextInt(3) == 0 ? 0 : 1 << 30)
              .execution(execution)
              .build();
    }

    void run() {
      for (int i = 0; i < 3; i++) {
        life(true);
      }
      life(false);
    }

    private void life(boolean overtaken) {
      schedule = new HoldingSchedule(random.nextLong());
      execution.use(schedule);
      heldSlot = -1;
      holdAfter = -1;
      heldDone = false;
      asked = 0;
      taken = 0;
      boolean crashed = execution.run(() -> live(overtaken)).crashed();
      if (crashed && random.nextInt(3) != 0) {
        CrashStates states = disk.crashStates();
        disk.powerCut(states.choice(random.nextLong(states.count())));
        ending = History.Ending.POWER_CUT;
      } else {
        disk.kill();
        ending = crashed ? History.Ending.KILLED : History.Ending.CLOSED;
      }
    }

    private void live(boolean overtaken) {
      try (Store store =
          Store.open(
              StoreOptions.defaults()
                  .storage(disk.storage())
                  .execution(threads)
                  .partitions(2)
                  .ringBytes(1 << 16)
                  .orecs(4096)
                  .maxSize(1 << 17))) {
        CellStore.judge(store, history, ending);
        CellStore.create(store);
        if (overtaken) {
          overtake(store);
        }
      }
    }

    private void overtake(Store store) {
      CellStore cells = CellStore.of(store);
      execution.spawn("held", () -> held(store, cells));
      execution.spawn("asker", () -> ask(store));
      for (int i = random.nextInt(MOST_BEFORE); i > 0; i--) {
        transact(store, cells, random.nextInt(CellStore.CELLS));
      }
      spin(() -> heldSlot >= 0);
      long checkpoint = threads.numberOf(CHECKPOINT);
      if (random.nextInt(4) != 0) {
        schedule.hold(checkpoint, random.nextInt(TURN_STEPS));
      }
      asked = 1;
      spin(() -> schedule.isHeld(checkpoint) || taken == 1);
      holdAfter = random.nextInt(COMMIT_STEPS);
      spin(() -> schedule.isHeld(heldSlot) || heldDone);
      schedule.release(checkpoint);
      // Without end if the held commit is one that it waits for; or until somewhere in its course.
      int steps = random.nextBoolean() ? PATIENCE : random.nextInt(LONGEST_CHECKPOINT);
      for (int i = 0; i < steps && taken == 0; i++) {
        execution.yieldNow();
      }
      schedule.release(heldSlot);
      spin(() -> heldDone && taken == 1);
      asked = 2;
      spin(() -> taken == 2);
      disk.crashAtOperation(disk.operations() + 1, CrashMoment.BEFORE);
      disk.storage().exists("nothing"); // dies here, if not before
    }

    private void held(Store store, CellStore cells) {
      transact(store, cells, CellStore.CELLS - 1);
      heldSlot = execution.threadNumber();
      while (holdAfter < 0) {
        execution.parkNanos(this, 20_000);
      }
      schedule.hold(heldSlot, holdAfter);
      transact(store, cells, CellStore.CELLS - 1);
      heldDone = true;
    }

    private void ask(Store store) {
      while (taken < 2) {
        while (asked == taken) {
          execution.parkNanos(this, 20_000);
        }
        store.checkpoint();
        taken++;
      }
    }

    private void transact(Store store, CellStore cells, int cell) {
      Attempt attempt = history.begin(false);
      try {
        long lsn =
            store
                .submit(
                    TxOptions.of(Durability.ASYNC),
                    tx -> {
                      attempt.restart();
                      cells.write(tx, attempt, cell);
                      cells.mark(tx, attempt);
                      return 0;
                    })
                .lsn();
        attempt.returned(lsn);
      } catch (HowdahException e) {
        throw new Violation("refused without a reason: " + e, e);
      }
    }

    /** Waits without parking; not for ever, since what is held may be what is waited for. */
    private void spin(Condition condition) {
      for (int i = 0; i < PATIENCE && !condition.holds(); i++) {
        execution.yieldNow();
      }
    }

    private interface Condition {
      boolean holds();
    }
  }
}

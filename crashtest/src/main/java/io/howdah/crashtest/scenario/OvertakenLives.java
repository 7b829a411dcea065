package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.History;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One store on one simulated disk through several lives, in which a play holds threads at steps of
 * theirs, lets others overtake them, and then has the process killed or the power cut. Everything
 * follows from a seed. For one thread; what the threads of a life tell each other needs no care,
 * since one of them runs at a time.
 */
abstract class OvertakenLives {

  final SplittableRandom random;
  final SimulatedExecution execution;
  final SimulatedDisk disk;
  final NamedThreads threads;
  final History history = new History();
  HoldingSchedule schedule;

  private @Nullable Violation found;
  private final int patience;
  private final long seed;
  private final StoreMemory memory;
  private int lives;
  private History.Ending ending = History.Ending.KILLED;

  /**
   * Creates a disk without a store.
   *
   * @param patience how many steps {@link #spin} waits at most
   */
  OvertakenLives(long seed, int patience, StoreMemory memory) {
    this.patience = patience;
    this.seed = seed;
    this.memory = memory;
    random = new SplittableRandom(seed);
    schedule = new HoldingSchedule(seed);
    execution =
        SimulatedExecution.builder(Schedule.roundRobin(1))
            .virtualThreads((seed & 1) == 0)
            .maxSteps(3_000_000)
            .build();
    threads = new NamedThreads(execution);
    CrashUnit[] units = CrashUnit.values();
    disk =
        SimulatedDisk.builder(seed)
            .unit(units[random.nextInt(units.length)])
            .volatileBytes(memory.volatileBytes(seed, random.nextInt(3) == 0))
            .execution(execution)
            .build();
  }

  /** What is done with an open store in which {@link CellStore} has its words. */
  interface Play {
    void on(Store store);
  }

  /** What a transaction does. */
  interface Body {
    void run(Tx tx, Attempt attempt);
  }

  /** What somebody waits for. */
  interface Condition {
    boolean holds();
  }

  /** Returns the options of the store; the disk and the threads are set by the caller. */
  abstract StoreOptions options();

  /** Opens the store, judges it, plays, and lets the process die, or the store be closed. */
  final void life(Play play) {
    schedule = new HoldingSchedule(random.nextLong());
    execution.use(schedule);
    boolean crashed = execution.run(() -> live(play)).crashed();
    if (crashed && random.nextInt(3) != 0) {
      CrashStates states = disk.crashStates();
      disk.powerCut(states.choice(random.nextLong(states.count())));
      ending = History.Ending.POWER_CUT;
    } else {
      disk.kill();
      memory.judge(disk);
      // What an opening that did not get to its end found is still to be judged.
      if (ending != History.Ending.POWER_CUT) {
        ending = crashed ? History.Ending.KILLED : History.Ending.CLOSED;
      }
    }
  }

  private void live(Play play) {
    boolean isKept = ((seed + lives++) & 1) == 0;
    StoreOptions options = options().withStorage(disk.storage()).withExecution(threads);
    try (Store store = Store.open(memory.of(options, isKept))) {
      CellStore.judge(store, history, ending);
      ending = History.Ending.KILLED;
      CellStore.create(store);
      play(play, store);
    }
  }

  private void play(Play play, Store store) {
    try {
      play.on(store);
    } catch (Violation e) {
      found = e;
      throw e;
    }
  }

  /** Ends the life of the process, here if not before. */
  final void die() {
    disk.crashAtOperation(disk.operations() + 1, CrashMoment.BEFORE);
    disk.storage().exists("nothing");
  }

  /** Waits without parking; not for ever, since what is held may be what is waited for. */
  final void spin(Condition condition) {
    for (int i = 0; i < patience && !condition.holds(); i++) {
      execution.yieldNow();
    }
  }

  /** Waits in a thread that is none of those that direct the play. */
  final void await(Condition condition) {
    while (!condition.holds()) {
      execution.parkNanos(this, 20_000);
    }
  }

  /** Runs a transaction that has to succeed. */
  final void transact(Store store, Durability durability, CellStore cells, Body body) {
    Attempt attempt = history.begin(false);
    try {
      long lsn =
          store
              .callWithReceipt(
                  TxOptions.of(durability),
                  tx -> {
                    attempt.restart();
                    body.run(tx, attempt);
                    cells.mark(tx, attempt);
                    return 0;
                  })
              .lsn();
      if (durability != Durability.ASYNC) {
        attempt.durable(lsn);
      } else {
        attempt.returned(lsn);
      }
    } catch (HowdahException e) {
      if (found != null) {
        return; // closes the store under everybody, and is what is to be reported
      }
      throw new Violation("refused without a reason: " + e, e);
    }
  }
}

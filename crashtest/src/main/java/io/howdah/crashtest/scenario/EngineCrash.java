package io.howdah.crashtest.scenario;

import io.howdah.core.HowdahException;
import io.howdah.core.LogFullException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.History;
import io.howdah.testkit.CrashChoice;
import io.howdah.testkit.CrashStates;
import io.howdah.testkit.CrashUnit;
import io.howdah.testkit.Schedule;
import io.howdah.testkit.SimulatedDisk;
import io.howdah.testkit.SimulatedExecution;
import io.howdah.testkit.SimulationOutcome;
import io.howdah.txn.Durability;
import io.howdah.txn.Store;
import io.howdah.txn.StoreOptions;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The whole engine under a deterministic scheduler on the simulated disk: several threads commit in
 * all modes, the process dies between any two steps, the disk comes back in any legal state, and
 * the store is opened again, over several incarnations, recoveries that are killed themselves
 * included.
 *
 * <p>What dies is drawn from {@link Death}s; what survives is judged by {@link History} each time
 * the store opens.
 */
final class EngineCrash implements Scenario {

  private static final int MOST_INCARNATIONS = 4;
  private static final int MOST_THREADS = 4;
  private static final int MOST_TRANSACTIONS = 12;
  private static final int FIRST_GUESS_STEPS = 20_000;

  /** How an incarnation may end. */
  enum Death {
    /** The process is killed. */
    KILL,
    /** The machine loses power. */
    POWER,
    /** The file system is shut down under the process; boot identity and tmpfs stay. */
    SHUTDOWN,
    /** The store is closed. */
    CLOSE
  }

  private final String name;
  private final String hazard;
  private final Death[] deaths;

  /** How many steps an incarnation takes, about: where a death is placed at random. */
  private long usualSteps = FIRST_GUESS_STEPS;

  EngineCrash(String name, String hazard, Death... deaths) {
    this.name = name;
    this.hazard = hazard;
    this.deaths = deaths.clone();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String hazard() {
    return hazard;
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      long seed = budget.seed();
      usualSteps = FIRST_GUESS_STEPS;
      try {
        new Attempts(seed).run();
      } catch (Violation violation) {
        throw new Violation(replay(seed) + violation.getMessage(), violation);
      } catch (AssertionError | RuntimeException unexpected) {
        throw new Violation(replay(seed) + "unexpected: " + unexpected, unexpected);
      }
    }
  }

  private String replay(long seed) {
    return "[replay: howdah test explore --scenario "
        + name
        + " --seed "
        + seed
        + " --attempts 1] ";
  }

  /** One seed: a disk, a history, several incarnations. */
  private final class Attempts {

    private final SplittableRandom random;
    private final SimulatedExecution execution;
    private final SimulatedDisk disk;
    private final History history = new History();
    private final AtomicReference<@Nullable Violation> seen = new AtomicReference<>();
    private final int threads;
    private final int partitions;

    /** One in so many transactions fills the wide cell, which soon fills the rings too. */
    private final int wideOneIn;

    /** The worst that happened since the store was last judged. */
    private History.Ending ending = History.Ending.KILLED;

    Attempts(long seed) {
      random = new SplittableRandom(seed);
      execution =
          SimulatedExecution.builder(Schedule.roundRobin(1))
              .spuriousOneIn(random.nextInt(2) * 16)
              .maxSteps(3_000_000)
              .processors(1 + random.nextInt(4))
              .build();
      CrashUnit[] units = CrashUnit.values();
      disk =
          SimulatedDisk.builder(seed)
              .unit(units[random.nextInt(units.length)])
              .volatileBytes(random.nextInt(3) == 0 ? 0 : 1 << 30)
              .execution(execution)
              .build();
      threads = 1 + random.nextInt(MOST_THREADS);
      partitions = 1 + random.nextInt(3);
      wideOneIn = random.nextInt(5) == 0 ? 3 : 40;
    }

    void run() {
      int incarnations = 2 + random.nextInt(MOST_INCARNATIONS - 1);
      for (int i = 0; i < incarnations; i++) {
        incarnation(i == incarnations - 1 ? Death.CLOSE : deaths[random.nextInt(deaths.length)]);
      }
      incarnation(Death.CLOSE);
    }

    private void incarnation(Death death) {
      execution.use(schedule());
      if (death != Death.CLOSE) {
        execution.killAtStep(1 + random.nextLong(usualSteps + usualSteps / 4));
      }
      long seed = random.nextLong();
      SimulationOutcome outcome = execution.run(() -> live(new SplittableRandom(seed)));
      Violation violation = seen.get();
      if (violation != null) {
        throw violation;
      }
      if (!outcome.crashed()) {
        usualSteps = outcome.steps();
        ending = History.Ending.CLOSED;
        disk.kill();
        return;
      }
      die(death);
    }

    private void die(Death death) {
      switch (death) {
        case KILL, CLOSE -> {
          disk.kill();
          worsen(History.Ending.KILLED);
        }
        case POWER -> {
          disk.powerCut(choice());
          worsen(History.Ending.POWER_CUT);
        }
        case SHUTDOWN -> {
          disk.fileSystemShutdown(choice());
          worsen(History.Ending.POWER_CUT);
        }
      }
    }

    private CrashChoice choice() {
      CrashStates states = disk.crashStates();
      return states.choice(random.nextLong(states.count()));
    }

    private void worsen(History.Ending next) {
      if (ending != History.Ending.POWER_CUT) {
        ending = next;
      }
    }

    private Schedule schedule() {
      long seed = random.nextLong();
      return switch (random.nextInt(6)) {
        case 0 -> Schedule.random(seed, 1);
        case 1 -> Schedule.random(seed, 8);
        case 2 -> Schedule.random(seed, 64);
        case 3 -> Schedule.pct(seed, 2 + random.nextInt(4), usualSteps);
        default -> new StarvingSchedule(seed, 100 << random.nextInt(4), 4_000);
      };
    }

    /** The life of one process. */
    private void live(SplittableRandom life) {
      Store store =
          Store.open(
              StoreOptions.defaults()
                  .storage(disk.storage())
                  .execution(execution)
                  .partitions(partitions)
                  .ringBytes(1 << 16)
                  .orecs(64)
                  .maxSize(1 << 17)
                  .irrevocableAfterAborts(1 + life.nextInt(8)));
      CellStore.judge(store, history, ending);
      ending = History.Ending.CLOSED;
      CellStore.create(store);
      CellStore cells = CellStore.of(store);
      Thread[] workers = new Thread[threads];
      for (int t = 0; t < threads; t++) {
        SplittableRandom own = life.split();
        workers[t] = execution.spawn("worker-" + t, () -> work(store, cells, own));
      }
      for (Thread worker : workers) {
        execution.join(worker);
      }
      store.close();
    }

    private void work(Store store, CellStore cells, SplittableRandom own) {
      int transactions = 1 + own.nextInt(MOST_TRANSACTIONS);
      for (int i = 0; i < transactions && history.size() < CellStore.MARKS - MOST_THREADS; i++) {
        transaction(store, cells, own);
      }
    }

    private void transaction(Store store, CellStore cells, SplittableRandom own) {
      boolean readOnly = own.nextInt(6) == 0;
      Durability durability = own.nextInt(3) == 0 ? Durability.SYNC : Durability.ASYNC;
      long choices = own.nextLong();
      boolean wide = own.nextInt(wideOneIn) == 0;
      Attempt attempt = history.begin(readOnly);
      try {
        long lsn =
            readOnly
                ? store
                    .submit(
                        TxOptions.of(durability).readOnly(),
                        tx -> body(tx, cells, attempt, choices, false))
                    .lsn()
                : store.submit(durability, tx -> body(tx, cells, attempt, choices, wide)).lsn();
        if (durability == Durability.SYNC) {
          attempt.durable(lsn);
        } else {
          attempt.returned(lsn);
        }
      } catch (StoreFailedException | StoreClosedException e) {
        throw new Violation("the store gave up without a fault: " + e.getMessage(), e);
      } catch (LogFullException e) {
        attempt.refused();
      } catch (HowdahException e) {
        throw new Violation("refused without a reason: " + e, e);
      }
    }

    private int body(Tx tx, CellStore cells, Attempt attempt, long choices, boolean wide) {
      attempt.restart();
      SplittableRandom own = new SplittableRandom(choices);
      Violation mixed = cells.seenPair(tx, own.nextBoolean());
      if (mixed != null) {
        seen.compareAndSet(null, mixed);
      }
      int reads = own.nextInt(4);
      for (int i = 0; i < reads; i++) {
        cells.read(tx, attempt, own.nextInt(CellStore.CELLS + 1));
      }
      if (!attempt.isReadOnly()) {
        int writes = own.nextInt(3);
        for (int i = 0; i < writes; i++) {
          int cell = own.nextInt(CellStore.CELLS);
          if (own.nextInt(3) != 0) {
            cells.read(tx, attempt, cell);
          }
          cells.write(tx, attempt, cell);
        }
        if (wide) {
          cells.write(tx, attempt, CellStore.WIDE);
        }
        if (own.nextBoolean()) {
          cells.writePair(tx, attempt);
        }
        cells.mark(tx, attempt);
      }
      return 0;
    }
  }
}

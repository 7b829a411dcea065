package io.howdah.crashtest.scenario;

import io.howdah.core.LogFullException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.crashtest.oracle.History;
import io.howdah.log.commit.RingDirectory;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.SplittableRandom;

/**
 * The whole engine while its files fail: one operation, or each from then on, reports an error, in
 * any phase of a store's life. Nothing that was acknowledged is lost, nothing unacknowledged is
 * invented, and whoever asks gets an exception that says what failed. A failed force is never tried
 * again, since nothing after it would prove anything.
 */
final class EngineFaults implements Scenario {

  private static final Operation[] OPERATIONS = {
    Operation.WRITE,
    Operation.FORCE,
    Operation.CREATE,
    Operation.OPEN,
    Operation.READ,
    Operation.FORCE_DIRECTORY,
    Operation.DELETE,
    Operation.RENAME,
    Operation.SET_SIZE,
    Operation.LIST,
    Operation.MAP_SHARED,
    Operation.MAP_PRIVATE,
    Operation.ALLOCATE,
    Operation.LOCK,
    Operation.IDENTITY
  };

  private static final String LOG_DIRECTORY = "log/0";
  private static final int LATEST_IN_LOG = 15;
  private static final int LATEST = 60;
  private static final int USUAL_STEPS = 20_000;

  private final String name;
  private final String hazard;
  private final boolean checkpoints;
  private final StoreMemory memory;

  EngineFaults(String name, String hazard, boolean checkpoints, StoreMemory memory) {
    this.name = memory.nameOf(name);
    this.memory = memory;
    this.hazard = hazard;
    this.checkpoints = checkpoints;
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
      Replay.attempt(name(), budget.seed(), () -> run(budget.seed()));
    }
  }

  private void run(long seed) {
    SplittableRandom settings = new SplittableRandom(~seed);
    EngineLives lives =
        new EngineLives(
            seed,
            SimulatedDisk.builder(seed)
                .failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN) // the image is folded in place
                .volatileBytes(memory.volatileBytes(seed, settings.nextBoolean())),
            true,
            checkpoints);
    if (memory == StoreMemory.SHARED) {
      lives.shareMemory();
    }
    int failing = 1 + settings.nextInt(3);
    for (int i = 0; i < failing; i++) {
      if (settings.nextInt(4) != 0) {
        lives.disk.inject(fault(settings));
      }
      live(lives);
      lives.disk.clearFaults();
    }
    live(lives);
    live(lives);
  }

  private void live(EngineLives lives) {
    lives.execution.use(lives.schedule(USUAL_STEPS));
    if (lives.random.nextInt(4) != 0) {
      // A clean close would put everything into the image, and make up for what a force lost.
      lives.execution.killAtStep(1 + lives.random.nextInt(2 * USUAL_STEPS));
    }
    SplittableRandom life = lives.random.split();
    lives.execution.run(
        () -> {
          try {
            lives.live(life);
          } catch (StorageException | StoreFailedException | LogFullException e) {
            // It could not be opened, and says why; what it holds is for the next life to find.
            lives.refusedToOpen(e);
          }
        });
    lives.requireNothingSeen();
    if (lives.random.nextBoolean()) {
      // What a failed force left may be in the page cache, marked clean, and nowhere else.
      CrashStates states = lives.disk.crashStates();
      lives.disk.powerCut(states.choice(lives.random.nextLong(states.count())));
      lives.ended(History.Ending.POWER_CUT);
    } else {
      lives.disk.kill();
      memory.judge(lives.disk);
      lives.ended(History.Ending.KILLED);
    }
  }

  private static Fault fault(SplittableRandom settings) {
    if (settings.nextInt(4) == 0) {
      // Recovery looks at few files that matter as much.
      Operation operation = settings.nextBoolean() ? Operation.OPEN : Operation.READ;
      return Fault.onNth(operation, 1 + settings.nextInt(3)).in(RingDirectory.DIRECTORY);
    }
    if (settings.nextInt(3) == 0) {
      // So do the writes and forces of the log: what a commit rests on.
      Operation operation = settings.nextInt(3) == 0 ? Operation.WRITE : Operation.FORCE;
      Fault fault = Fault.onNth(operation, 1 + settings.nextInt(LATEST_IN_LOG)).in(LOG_DIRECTORY);
      return settings.nextInt(4) == 0 ? fault.forEver() : fault;
    }
    Operation operation = OPERATIONS[settings.nextInt(OPERATIONS.length)];
    Fault fault = Fault.onNth(operation, 1 + settings.nextInt(LATEST));
    if (operation == Operation.WRITE && settings.nextBoolean()) {
      fault = fault.with(Reason.NO_SPACE);
    }
    return settings.nextBoolean() ? fault : fault.forEver();
  }
}

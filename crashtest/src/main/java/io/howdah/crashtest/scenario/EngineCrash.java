package io.howdah.crashtest.scenario;

import io.howdah.crashtest.oracle.History;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulationOutcome;
import java.util.SplittableRandom;

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
  private static final int FIRST_GUESS_STEPS = 20_000;
  private static final int FIRST_GUESS_OPERATIONS = 120;

  /** Past what a creation does to the disk, about. */
  private static final int CREATION_OPERATIONS = 40;

  /** How an incarnation may end. */
  enum Death {
    /** The process is killed. */
    KILL,
    /** The machine loses power. */
    POWER,
    /** The file system is shut down under the process; boot identity and tmpfs stay. */
    SHUTDOWN,
    /** The container is replaced: tmpfs is gone, files stay. */
    REPLACEMENT,
    /** The process is killed, and both journals are damaged: the log has to serve instead. */
    DAMAGED_JOURNALS,
    /** The store is closed. */
    CLOSE
  }

  private final String name;
  private final String hazard;
  private final boolean checkpoints;
  private final boolean killedInCreation;
  private final StoreMemory memory;
  private final Death[] deaths;

  EngineCrash(
      String name, String hazard, boolean checkpoints, StoreMemory memory, Death... deaths) {
    this(name, hazard, checkpoints, false, memory, deaths);
  }

  private EngineCrash(
      String name,
      String hazard,
      boolean checkpoints,
      boolean killedInCreation,
      StoreMemory memory,
      Death... deaths) {
    this.name = memory.nameOf(name);
    this.hazard = hazard;
    this.checkpoints = checkpoints;
    this.killedInCreation = killedInCreation;
    this.memory = memory;
    this.deaths = deaths.clone();
  }

  /**
   * Returns one whose store is killed while it is created, first of all, and in each life somebody
   * else tries to open it, too.
   */
  static EngineCrash inCreation(String name, String hazard, StoreMemory memory, Death... deaths) {
    return new EngineCrash(name, hazard, false, true, memory, deaths);
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
      Replay.attempt(name, budget.seed(), () -> new Run(budget.seed()).run());
    }
  }

  /** One seed: a disk and several incarnations. */
  private final class Run {

    private final EngineLives lives;
    private final SplittableRandom random;

    /** How many steps an incarnation takes, about: where a death is placed at random. */
    private long usualSteps = FIRST_GUESS_STEPS;

    private long usualOperations = FIRST_GUESS_OPERATIONS;

    Run(long seed) {
      SplittableRandom settings = new SplittableRandom(~seed);
      CrashUnit[] units = CrashUnit.values();
      lives =
          new EngineLives(
              seed,
              SimulatedDisk.builder(seed)
                  .unit(units[settings.nextInt(units.length)])
                  .volatileBytes(memory.volatileBytes(seed, settings.nextInt(3) == 0)),
              false,
              checkpoints);
      random = lives.random;
      if (memory == StoreMemory.SHARED) {
        lives.shareMemory();
      }
    }

    void run() {
      if (killedInCreation) {
        lives.secondOpener();
        creation();
      }
      int incarnations = 2 + random.nextInt(MOST_INCARNATIONS - 1);
      for (int i = 0; i < incarnations; i++) {
        incarnation(deaths[random.nextInt(deaths.length)]);
      }
      incarnation(Death.CLOSE);
      incarnation(Death.CLOSE);
    }

    private void creation() {
      lives.execution.use(lives.schedule(usualSteps));
      CrashMoment[] moments = CrashMoment.values();
      lives.disk.crashAtOperation(
          1 + random.nextInt(CREATION_OPERATIONS), moments[random.nextInt(moments.length)]);
      SplittableRandom life = random.split();
      boolean crashed = lives.execution.run(() -> lives.live(life)).crashed();
      lives.requireNothingSeen();
      lives.disk.kill();
      memory.judge(lives.disk);
      lives.ended(crashed ? History.Ending.KILLED : History.Ending.CLOSED);
    }

    private void incarnation(Death death) {
      lives.execution.use(lives.schedule(usualSteps));
      if (death != Death.CLOSE) {
        placeDeath();
      }
      long operations = lives.disk.operations();
      SplittableRandom life = random.split();
      SimulationOutcome outcome = lives.execution.run(() -> lives.live(life));
      lives.requireNothingSeen();
      if (outcome.crashed()) {
        die(death);
      } else {
        usualSteps = outcome.steps();
        usualOperations = lives.disk.operations() - operations;
        lives.ended(History.Ending.CLOSED);
        lives.disk.kill();
        memory.judge(lives.disk);
      }
    }

    /**
     * At any step, or, half of the time, at a file operation: most of the promises hang on these.
     */
    private void placeDeath() {
      if (random.nextBoolean()) {
        lives.execution.killAtStep(1 + random.nextLong(usualSteps + usualSteps / 4));
      } else {
        CrashMoment[] moments = CrashMoment.values();
        lives.disk.crashAtOperation(
            lives.disk.operations() + 1 + random.nextLong(usualOperations + usualOperations / 4),
            moments[random.nextInt(moments.length)]);
      }
    }

    private void die(Death death) {
      SimulatedDisk disk = lives.disk;
      switch (death) {
        case KILL, CLOSE -> {
          disk.kill();
          lives.ended(History.Ending.KILLED);
          memory.judge(disk);
        }
        case DAMAGED_JOURNALS -> {
          disk.kill();
          for (String name : disk.storage().list("journal")) {
            Damage.any(disk, "journal/" + name, random);
          }
          lives.ended(History.Ending.KILLED);
          lives.journalsDamaged();
        }
        case POWER -> {
          disk.powerCut(choice());
          lives.ended(History.Ending.POWER_CUT);
        }
        case SHUTDOWN -> {
          disk.fileSystemShutdown(choice());
          lives.ended(History.Ending.POWER_CUT);
        }
        case REPLACEMENT -> {
          disk.replaceContainer();
          lives.ended(History.Ending.POWER_CUT);
        }
      }
    }

    private CrashChoice choice() {
      CrashStates states = lives.disk.crashStates();
      return states.choice(random.nextLong(states.count()));
    }
  }
}

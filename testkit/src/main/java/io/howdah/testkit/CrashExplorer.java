package io.howdah.testkit;

import io.howdah.core.HowdahException;
import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.disk.CrashPoints;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Runs a program until a crash, comes back in the legal states that the crash may leave, has the
 * program recover and check, and so on for every crash; then lets recoveries die too.
 *
 * <p>A run without a crash comes first, to count. Then the work dies before, in the middle of and
 * after each operation that changes the disk, at the end, and, if asked for, at stores to shared
 * regions and at scheduling points. What is beyond the bounds is sampled evenly. The same settings
 * give the same crashes; a failure is a {@link CrashTestFailure} whose message says how to have
 * that one crash again, alone: {@code -Dhowdah.crash.replay=...} makes every explorer do only that.
 *
 * <p>Not thread-safe.
 */
public final class CrashExplorer {

  private final CrashSettings settings;
  private Set<CrashUnit> units = EnumSet.allOf(CrashUnit.class);
  private int maxPoints = 1000;
  private int maxStores;
  private int maxSteps;
  private int maxFaults;

  private CrashExplorer(long seed) {
    settings = new CrashSettings(seed);
  }

  /** Begins an exploration from a seed. */
  public static CrashExplorer seeded(long seed) {
    return new CrashExplorer(seed);
  }

  /** Sets on which disks to run: all three by default. */
  public CrashExplorer units(CrashUnit first, CrashUnit... more) {
    units = EnumSet.of(first, more);
    return this;
  }

  /** Sets how to go down: by kill and by power cut, by default. */
  public CrashExplorer kinds(CrashKind first, CrashKind... more) {
    settings.kinds = EnumSet.of(first, more);
    return this;
  }

  /**
   * Runs work and checks in a {@link SimulatedExecution}, with a new schedule, made from a seed,
   * for each. Needed by programs with threads; the default is to call them directly.
   */
  public CrashExplorer scheduled(LongFunction<Schedule> value) {
    settings.schedules = value;
    return this;
  }

  /** Sets what a failed force leaves. */
  public CrashExplorer failedForce(FailedForce value) {
    settings.failedForce = value;
    return this;
  }

  /** Sets how many bytes volatile places may take; 0 for none at all. */
  public CrashExplorer volatileBytes(long value) {
    settings.volatileBytes = value;
    return this;
  }

  /** Sets at how many points around operations the work dies, for each unit; 1000 by default. */
  public CrashExplorer points(int max) {
    maxPoints = max;
    return this;
  }

  /** Sets at how many stores to shared regions the work dies, for each unit; 0 by default. */
  public CrashExplorer stores(int max) {
    maxStores = max;
    return this;
  }

  /** Sets at how many scheduling points the work dies, for each unit; 0 by default. */
  public CrashExplorer steps(int max) {
    maxSteps = max;
    return this;
  }

  /**
   * Sets how many faults the work meets, for each unit; 0 by default. One after the other, each
   * operation fails, alone or with every later one of its kind, or finds the disk full from there
   * on. The program may go on or give up with a {@link HowdahException}; then it is killed, or the
   * power cut, the fault is gone, and it must keep its promises. Anything else it throws is a
   * failure.
   */
  public CrashExplorer faults(int max) {
    maxFaults = max;
    return this;
  }

  /** Sets how many states are tried at each point, for each kind; 100 by default. */
  public CrashExplorer states(int max) {
    settings.maxStates = max;
    return this;
  }

  /**
   * Sets how much recoveries die: at so many points of each, coming back in so many states. 2 and 3
   * by default; 0 points for not at all.
   */
  public CrashExplorer recoveries(int maxPointsOfEach, int maxStatesOfEach) {
    settings.maxRecoveryPoints = maxPointsOfEach;
    settings.maxRecoveryStates = maxStatesOfEach;
    return this;
  }

  /**
   * Explores a program.
   *
   * @param scenarios makes a new instance for each run
   * @throws CrashTestFailure if a check fails, or the program does without a crash
   */
  public CrashReport explore(Supplier<? extends CrashScenario> scenarios) {
    CrashEndings endings = new CrashEndings(settings);
    String wanted = System.getProperty(CrashReplay.PROPERTY, "");
    if (!wanted.isEmpty()) {
      replay(CrashReplay.parse(wanted), scenarios);
      return new CrashReport(1, 1, 0, false);
    }
    for (CrashUnit unit : units) {
      explore(unit, endings, scenarios);
    }
    return new CrashReport(
        endings.points, endings.states, endings.crashesInRecovery, endings.exhaustive);
  }

  /** Has one crash again, with this explorer's settings but the replay's seed. */
  public void replay(CrashReplay replay, Supplier<? extends CrashScenario> scenarios) {
    CrashSettings same = settings.seeded(replay.seed());
    Life life = new Life(same, replay.unit(), scenarios.get());
    life.work(replay.first().point(), replay);
    new CrashEndings(same).replay(life.machine.disk(), replay, life.scenario::check);
  }

  private void explore(
      CrashUnit unit, CrashEndings endings, Supplier<? extends CrashScenario> scenarios) {
    Life life = new Life(settings, unit, scenarios.get());
    life.work(CrashPoint.END, at(unit, CrashPoint.END));
    List<CrashPoint> around = CrashPoints.ofOperations(life.machine.disk(), life.firstOperation);
    endings.exhaustive &= around.size() <= maxPoints;
    List<CrashPoint> chosen = new ArrayList<>(CrashPoints.spread(around, maxPoints));
    chosen.addAll(CrashPoints.spread(life.storePoints(), maxStores));
    chosen.addAll(CrashPoints.spread(life.stepPoints(), maxSteps));
    chosen.addAll(CrashPoints.spread(life.faultPoints(), maxFaults));
    chosen.add(CrashPoint.END);
    for (CrashPoint point : chosen) {
      Life dying = new Life(settings, unit, scenarios.get());
      dying.work(point, at(unit, point));
      endings.comeBack(dying.machine.disk(), unit, point, dying.scenario::check);
    }
  }

  private CrashReplay at(CrashUnit unit, CrashPoint point) {
    Crash crash = new Crash(point, CrashKind.KILL, CrashChoice.KEEP_ALL);
    return new CrashReplay(settings.seed, unit, crash, null);
  }

  /** One run of the work, up to its death. */
  private static final class Life {

    private final CrashSettings settings;
    final CrashScenario scenario;
    final Machine machine;
    long firstOperation;
    private long firstStore;
    private long steps;

    Life(CrashSettings settings, CrashUnit unit, CrashScenario scenario) {
      this.settings = settings;
      this.scenario = scenario;
      machine = settings.firstMachine(unit);
    }

    void work(CrashPoint until, CrashReplay replay) {
      SimulatedDisk disk = machine.disk();
      try {
        settings.live(machine, () -> scenario.prepare(machine));
        disk.kill();
        firstOperation = disk.operations() + 1;
        firstStore = disk.stores() + 1;
        machine.execution().use(settings.schedule());
        machine.disturbAt(until);
        steps = settings.live(machine, () -> scenario.work(machine));
      } catch (Throwable e) {
        if (until.isFault() && isTyped(e)) {
          return;
        }
        throw new CrashTestFailure(replay, "the work failed without a crash: " + e, e);
      }
      CrashEndings.requireReached(disk, until, replay, "work");
    }

    /** An execution says which thread failed, and of what. */
    private static boolean isTyped(Throwable e) {
      return e instanceof HowdahException || e.getCause() instanceof HowdahException;
    }

    List<CrashPoint> faultPoints() {
      List<CrashPoint> found = new ArrayList<>();
      for (long n = firstOperation; n <= machine.disk().operations(); n++) {
        found.add(new CrashPoint(CrashPoint.Where.FAULT, n, CrashMoment.BEFORE));
        found.add(new CrashPoint(CrashPoint.Where.FAULTS, n, CrashMoment.BEFORE));
        found.add(new CrashPoint(CrashPoint.Where.FULL, n, CrashMoment.BEFORE));
      }
      return found;
    }

    List<CrashPoint> storePoints() {
      List<CrashPoint> found = new ArrayList<>();
      for (long n = firstStore; n <= machine.disk().stores(); n++) {
        found.add(new CrashPoint(CrashPoint.Where.STORE, n, CrashMoment.BEFORE));
        found.add(new CrashPoint(CrashPoint.Where.STORE, n, CrashMoment.MIDDLE));
      }
      return found;
    }

    List<CrashPoint> stepPoints() {
      List<CrashPoint> found = new ArrayList<>();
      for (long n = 1; n <= steps; n++) {
        found.add(new CrashPoint(CrashPoint.Where.STEP, n, CrashMoment.BEFORE));
      }
      return found;
    }
  }
}

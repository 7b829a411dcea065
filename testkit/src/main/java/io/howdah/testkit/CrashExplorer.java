package io.howdah.testkit;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  private final long seed;
  private Set<CrashUnit> units = EnumSet.allOf(CrashUnit.class);
  private Set<CrashKind> kinds = EnumSet.of(CrashKind.KILL, CrashKind.POWER_CUT);
  private @Nullable LongFunction<Schedule> schedules;
  private FailedForce failedForce = FailedForce.UNKNOWN_FOR_EVER;
  private int maxPoints = 1000;
  private int maxStores;
  private int maxSteps;
  private int maxStates = 100;
  private int maxRecoveryPoints = 2;
  private int maxRecoveryStates = 3;
  private long volatileBytes = 1L << 30;

  private long points;
  private long states;
  private long crashesInRecovery;
  private boolean exhaustive;

  private CrashExplorer(long seed) {
    this.seed = seed;
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
    kinds = EnumSet.of(first, more);
    return this;
  }

  /**
   * Runs work and checks in a {@link SimulatedExecution}, with a new schedule, made from a seed,
   * for each. Needed by programs with threads; the default is to call them directly.
   */
  public CrashExplorer scheduled(LongFunction<Schedule> value) {
    schedules = value;
    return this;
  }

  /** Sets what a failed force leaves. */
  public CrashExplorer failedForce(FailedForce value) {
    failedForce = value;
    return this;
  }

  /** Sets how many bytes volatile places may take; 0 for none at all. */
  public CrashExplorer volatileBytes(long value) {
    volatileBytes = value;
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

  /** Sets how many states are tried at each point, for each kind; 100 by default. */
  public CrashExplorer states(int max) {
    maxStates = max;
    return this;
  }

  /**
   * Sets how much recoveries die: at so many points of each, coming back in so many states. 2 and 3
   * by default; 0 points for not at all.
   */
  public CrashExplorer recoveries(int maxPointsOfEach, int maxStatesOfEach) {
    maxRecoveryPoints = maxPointsOfEach;
    maxRecoveryStates = maxStatesOfEach;
    return this;
  }

  /**
   * Explores a program.
   *
   * @param scenarios makes a new instance for each run
   * @throws CrashTestFailure if a check fails, or the program does without a crash
   */
  public CrashReport explore(Supplier<? extends CrashScenario> scenarios) {
    points = 0;
    states = 0;
    crashesInRecovery = 0;
    exhaustive = true;
    String wanted = System.getProperty(CrashReplay.PROPERTY);
    if (wanted != null && !wanted.isEmpty()) {
      replay(CrashReplay.parse(wanted), scenarios);
    } else {
      for (CrashUnit unit : units) {
        explore(unit, scenarios);
      }
    }
    return new CrashReport(points, states, crashesInRecovery, exhaustive);
  }

  /** Has one crash again. */
  public void replay(CrashReplay replay, Supplier<? extends CrashScenario> scenarios) {
    Life life = new Life(replay.unit(), replay.seed(), scenarios.get());
    life.work(replay.first().point(), replay);
    points++;
    SimulatedDisk left = life.disk.after(replay.first());
    Crash second = replay.second();
    if (second == null) {
      check(life.scenario, left, replay);
    } else {
      SimulatedDisk dying = left.fork();
      check(life.scenario, dying, replay, second.point());
      check(life.scenario, dying.after(second), replay);
    }
  }

  private void explore(CrashUnit unit, Supplier<? extends CrashScenario> scenarios) {
    Life whole = new Life(unit, seed, scenarios.get());
    whole.work(CrashPoint.END, start(unit));
    List<CrashPoint> all = new ArrayList<>(operationPoints(whole.disk, whole.firstOperation));
    exhaustive &= all.size() <= maxPoints;
    List<CrashPoint> chosen = new ArrayList<>(spread(all, maxPoints));
    chosen.addAll(
        spread(
            numbered(CrashPoint.Where.STORE, whole.firstStore, whole.disk.stores(), true),
            maxStores));
    chosen.addAll(spread(numbered(CrashPoint.Where.STEP, 1, whole.steps, false), maxSteps));
    for (CrashPoint point : chosen) {
      Life life = new Life(unit, seed, scenarios.get());
      life.work(point, start(unit));
      comeBack(life);
    }
    comeBack(whole);
  }

  private CrashReplay start(CrashUnit unit) {
    return new CrashReplay(
        seed, unit, new Crash(CrashPoint.END, CrashKind.KILL, CrashChoice.KEEP_ALL), null);
  }

  static List<CrashPoint> operationPoints(SimulatedDisk disk, long first) {
    List<CrashPoint> found = new ArrayList<>();
    for (long n = first; n <= disk.operations(); n++) {
      Operation operation = disk.operation(n);
      if (operation.changesDisk()) {
        for (CrashMoment moment : CrashMoment.values()) {
          if (moment != CrashMoment.MIDDLE || operation == Operation.WRITE) {
            found.add(new CrashPoint(CrashPoint.Where.OPERATION, n, moment));
          }
        }
      }
    }
    return found;
  }

  private static List<CrashPoint> numbered(
      CrashPoint.Where where, long first, long last, boolean middles) {
    List<CrashPoint> found = new ArrayList<>();
    for (long n = first; n <= last; n++) {
      found.add(new CrashPoint(where, n, CrashMoment.BEFORE));
      if (middles) {
        found.add(new CrashPoint(where, n, CrashMoment.MIDDLE));
      }
    }
    return found;
  }

  private static <T> List<T> spread(List<T> all, int max) {
    if (all.size() <= max) {
      return all;
    }
    List<T> some = new ArrayList<>();
    for (int i = 0; i < max; i++) {
      some.add(all.get((int) ((long) all.size() * i / max)));
    }
    return some;
  }

  /** Comes back from the death of a life in every way asked for. */
  private void comeBack(Life life) {
    points++;
    for (CrashKind kind : kinds) {
      if (!kind.losesUnforced()) {
        recover(life, new Crash(life.point, kind, CrashChoice.KEEP_ALL), null);
        continue;
      }
      CrashStates possible = life.disk.crashStates();
      exhaustive &= possible.isExhaustive() && possible.count() <= maxStates;
      for (CrashChoice choice : possible.choices(maxStates)) {
        recover(life, new Crash(life.point, kind, choice), possible);
      }
    }
  }

  private void recover(Life life, Crash first, @Nullable CrashStates possible) {
    CrashReplay replay = new CrashReplay(seed, life.unit, first, null);
    SimulatedDisk left = life.disk.after(first, possible);
    SimulatedDisk recovering = left.fork();
    check(life.scenario, recovering, replay);
    if (maxRecoveryPoints == 0) {
      return;
    }
    for (CrashPoint point : spread(operationPoints(recovering, 1), maxRecoveryPoints)) {
      SimulatedDisk dying = left.fork();
      check(life.scenario, dying, replay, point);
      for (CrashKind kind : kinds) {
        List<CrashChoice> choices =
            kind.losesUnforced()
                ? dying.crashStates().choices(maxRecoveryStates)
                : List.of(CrashChoice.KEEP_ALL);
        for (CrashChoice choice : choices) {
          Crash second = new Crash(point, kind, choice);
          crashesInRecovery++;
          check(
              life.scenario, dying.after(second), new CrashReplay(seed, life.unit, first, second));
        }
      }
    }
  }

  private void check(CrashScenario scenario, SimulatedDisk disk, CrashReplay replay) {
    states++;
    check(scenario, disk, replay, CrashPoint.END);
  }

  /** Has the program recover and check, to the end or to a crash. */
  private void check(
      CrashScenario scenario, SimulatedDisk left, CrashReplay replay, CrashPoint until) {
    Crash last = replay.second() == null ? replay.first() : replay.second();
    SimulatedExecution execution = execution(replay.seed());
    left.scheduleWith(execution);
    Machine machine = new Machine(left, execution, last.kind());
    left.crashAt(until);
    try {
      live(machine, () -> scenario.check(machine));
    } catch (Throwable e) {
      throw new CrashTestFailure(replay, describe(e, replay, left), e);
    }
  }

  private static String describe(Throwable e, CrashReplay replay, SimulatedDisk disk) {
    List<String> trace = disk.trace();
    return "after "
        + replay
        + ": "
        + e
        + "\nlast operations of the recovery: "
        + trace.subList(Math.max(0, trace.size() - 12), trace.size());
  }

  /** Runs a life of the process; returns how many steps it took. */
  private long live(Machine machine, SimulatedExecution.Body body) throws Throwable {
    if (schedules != null) {
      return machine.execution().run(body).steps();
    }
    try {
      body.run();
    } catch (Throwable e) {
      // Whatever a program makes of its own death is its own affair.
      if (!machine.disk().hasCrashed()) {
        throw e;
      }
    }
    return 0;
  }

  private SimulatedExecution execution(long scheduleSeed) {
    return SimulatedExecution.with(
        schedules == null ? Schedule.roundRobin(Integer.MAX_VALUE) : schedules.apply(scheduleSeed));
  }

  /** One run of the work, up to its death. */
  private final class Life {

    final CrashUnit unit;
    final CrashScenario scenario;
    final SimulatedExecution execution;
    final SimulatedDisk disk;
    CrashPoint point = CrashPoint.END;
    long firstOperation;
    long firstStore;
    long steps;

    Life(CrashUnit unit, long seed, CrashScenario scenario) {
      this.unit = unit;
      this.scenario = scenario;
      execution = execution(seed);
      disk =
          SimulatedDisk.builder(seed)
              .unit(unit)
              .failedForce(failedForce)
              .volatileBytes(volatileBytes)
              .execution(execution)
              .build();
    }

    void work(CrashPoint until, CrashReplay replay) {
      point = until;
      Machine machine = new Machine(disk, execution, null);
      try {
        live(machine, () -> scenario.prepare(machine));
        disk.kill();
        if (schedules != null) {
          execution.use(schedules.apply(replay.seed()));
        }
        firstOperation = disk.operations() + 1;
        firstStore = disk.stores() + 1;
        disk.crashAt(until);
        if (until.where() == CrashPoint.Where.STEP) {
          execution.killAtStep(until.number());
        }
        steps = live(machine, () -> scenario.work(machine));
      } catch (Throwable e) {
        throw new CrashTestFailure(replay, "the work failed without a crash: " + e, e);
      }
      if (until.where() != CrashPoint.Where.END && !disk.hasCrashed()) {
        throw new CrashTestFailure(
            replay,
            "the work does not reach " + until + " in every run: it is not deterministic",
            new IllegalStateException("no crash at " + until));
      }
    }
  }
}

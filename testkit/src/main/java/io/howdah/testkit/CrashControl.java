package io.howdah.testkit;

import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashPoints;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import org.jspecify.annotations.Nullable;

/** What a {@link CrashTest} method does its one crash with. Not thread-safe. */
public final class CrashControl {

  private final CrashSettings settings;
  private final CrashUnit unit;
  private final Machine machine;
  private final CrashPoint point;
  private final @Nullable CrashReplay replay;
  private final CrashTestRun plan;
  private boolean prepared;
  private boolean ran;
  private boolean checked;

  CrashControl(
      CrashSettings settings,
      CrashUnit unit,
      CrashPoint point,
      @Nullable CrashReplay replay,
      CrashTestRun plan) {
    this.settings = settings;
    this.unit = unit;
    this.machine = settings.firstMachine(unit);
    this.point = point;
    this.replay = replay;
    this.plan = plan;
  }

  /**
   * Runs what comes before the work, in a process of its own that ends in a kill. Nothing dies in
   * it. A parameter of the type {@code Storage} is that of this process; take the work's from
   * {@link #machine}.
   *
   * @throws CrashTestFailure if it fails
   */
  public void prepare(SimulatedExecution.Body body) {
    if (prepared || ran) {
      throw new IllegalStateException("a crash test is prepared once, before its run");
    }
    prepared = true;
    try {
      settings.live(machine, body);
    } catch (Throwable e) {
      throw new CrashTestFailure(asReplay(), "the preparation failed: " + e, e);
    }
    machine.disk().kill();
    machine.execution().use(settings.schedule());
  }

  /**
   * Runs the work until it dies or is done. What it throws because of its death is dropped.
   *
   * @throws CrashTestFailure if it fails otherwise, or does not come to where it should die
   */
  public void run(SimulatedExecution.Body work) {
    if (ran) {
      throw new IllegalStateException("a crash test has one run");
    }
    ran = true;
    SimulatedDisk disk = machine.disk();
    long firstOperation = disk.operations() + 1;
    machine.disturbAt(point);
    CrashReplay here = asReplay();
    try {
      settings.live(machine, work);
    } catch (Throwable e) {
      throw new CrashTestFailure(here, "the work failed without a crash: " + e, e);
    }
    CrashEndings.requireReached(disk, point, here, "work");
    if (point.equals(CrashPoint.END) && replay == null) {
      plan.explored(CrashPoints.ofOperations(disk, firstOperation));
    }
  }

  /**
   * Comes back from the crash in the legal states, and has each recovered and checked.
   *
   * @throws CrashTestFailure if a check fails
   */
  public void check(CrashCheck check) {
    if (!ran) {
      throw new IllegalStateException(
          "check before run: call run first, with the work that may die");
    }
    checked = true;
    CrashEndings endings = new CrashEndings(settings);
    if (replay == null) {
      endings.comeBack(machine.disk(), unit, point, check);
    } else {
      endings.replay(machine.disk(), replay, check);
    }
  }

  /** Returns where the work dies. */
  public CrashPoint point() {
    return point;
  }

  /** Returns whether the work was not disturbed this time. */
  public boolean isUndisturbed() {
    return point.equals(CrashPoint.END);
  }

  String describe() {
    return unit + " " + (replay == null ? point : replay);
  }

  /** Returns the machine that the work runs on. Checks are given machines of their own. */
  public Machine machine() {
    return machine;
  }

  /** A test that checks nothing cannot fail. */
  void requireChecked() {
    if (!checked) {
      throw new IllegalStateException(
          "the crash test has not called check: a test that checks nothing cannot fail");
    }
  }

  private CrashReplay asReplay() {
    return replay != null
        ? replay
        : new CrashReplay(
            settings.seed, unit, new Crash(point, CrashKind.KILL, CrashChoice.KEEP_ALL), null);
  }
}

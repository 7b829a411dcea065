package io.howdah.testkit;

import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashPoints;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Comes back from crashes in the states they may leave, and from crashes of the recoveries. */
final class CrashEndings {

  private static final int TRACE_LINES = 12;

  private final CrashSettings settings;

  long points;
  long states;
  long crashesInRecovery;
  boolean exhaustive = true;

  CrashEndings(CrashSettings settings) {
    this.settings = settings;
  }

  /** Comes back from a crash in every way that is asked for. */
  void comeBack(SimulatedDisk crashed, CrashUnit unit, CrashPoint point, CrashCheck check) {
    points++;
    for (CrashKind kind : settings.kinds) {
      if (!kind.losesUnforced()) {
        recover(crashed, unit, new Crash(point, kind, CrashChoice.KEEP_ALL), null, check);
        continue;
      }
      CrashStates possible = crashed.crashStates();
      exhaustive &= possible.isExhaustive() && possible.count() <= settings.maxStates;
      for (CrashChoice choice : possible.choices(settings.maxStates)) {
        recover(crashed, unit, new Crash(point, kind, choice), possible, check);
      }
    }
  }

  private void recover(
      SimulatedDisk crashed,
      CrashUnit unit,
      Crash first,
      @Nullable CrashStates possible,
      CrashCheck check) {
    CrashReplay replay = new CrashReplay(settings.seed, unit, first, null);
    SimulatedDisk left = crashed.after(first, possible);
    SimulatedDisk recovering = left.fork();
    check(crashed, recovering, replay, check);
    if (settings.maxRecoveryPoints == 0) {
      return;
    }
    for (CrashPoint point : points(recovering)) {
      SimulatedDisk dying = left.fork();
      die(crashed, dying, replay, point, check);
      for (CrashKind kind : settings.kinds) {
        List<CrashChoice> choices =
            kind.losesUnforced()
                ? dying.crashStates().choices(settings.maxRecoveryStates)
                : List.of(CrashChoice.KEEP_ALL);
        for (CrashChoice choice : choices) {
          Crash second = new Crash(point, kind, choice);
          crashesInRecovery++;
          check(
              dying,
              dying.after(second),
              new CrashReplay(settings.seed, unit, first, second),
              check);
        }
      }
    }
  }

  private List<CrashPoint> points(SimulatedDisk recovered) {
    return CrashPoints.spread(CrashPoints.ofOperations(recovered, 1), settings.maxRecoveryPoints);
  }

  /** Comes back from a crash in one way only. */
  void replay(SimulatedDisk crashed, CrashReplay replay, CrashCheck check) {
    points++;
    SimulatedDisk left = crashed.after(replay.first());
    Crash second = replay.second();
    if (second == null) {
      check(crashed, left, replay, check);
    } else {
      die(crashed, left, replay, second.point(), check);
      check(left, left.after(second), replay, check);
    }
  }

  /**
   * Has a recovery run to its end.
   *
   * @param crashed the disk at the crash
   * @param disk what the crash left of it
   */
  private void check(
      SimulatedDisk crashed, SimulatedDisk disk, CrashReplay replay, CrashCheck check) {
    states++;
    Crash second = replay.second();
    List<Crash> crashes =
        second == null ? List.of(replay.first()) : List.of(replay.first(), second);
    live(crashed, disk, crashes, replay, CrashPoint.END, check);
  }

  /** Has a recovery die. */
  private void die(
      SimulatedDisk crashed,
      SimulatedDisk disk,
      CrashReplay replay,
      CrashPoint until,
      CrashCheck check) {
    live(crashed, disk, List.of(replay.first()), replay, until, check);
    requireReached(disk, until, replay, "recovery");
  }

  static void requireReached(
      SimulatedDisk disk, CrashPoint until, CrashReplay replay, String what) {
    if (until.isDeath() && !disk.hasCrashed()) {
      throw new CrashTestFailure(
          replay,
          "the " + what + " does not reach " + until + " in every run: it is not deterministic",
          new IllegalStateException("no crash at " + until));
    }
  }

  private void live(
      SimulatedDisk crashed,
      SimulatedDisk disk,
      List<Crash> crashes,
      CrashReplay replay,
      CrashPoint until,
      CrashCheck check) {
    SimulatedExecution execution = settings.execution();
    disk.scheduleWith(execution);
    Machine machine = new Machine(disk, execution, crashes.stream().map(Crash::kind).toList());
    disk.disturbAt(until);
    try {
      settings.live(machine, () -> check.check(machine));
    } catch (Throwable e) {
      Crash last = crashes.getLast();
      String lost =
          last.kind().losesUnforced()
              ? "\nlost: " + crashed.crashStates().describe(last.choice())
              : "";
      List<String> trace = disk.trace();
      throw new CrashTestFailure(
          replay,
          "after "
              + replay
              + ": "
              + e
              + lost
              + "\nlast operations of the recovery: "
              + trace.subList(Math.max(0, trace.size() - TRACE_LINES), trace.size()),
          e);
    }
  }
}

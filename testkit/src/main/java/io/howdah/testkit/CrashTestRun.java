package io.howdah.testkit;

import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.CrashPoints;
import io.howdah.testkit.schedule.Schedule;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The invocations of one {@link CrashTest} method, made as they are needed: where the work can die
 * is known only after it was run to its end.
 */
final class CrashTestRun implements Iterator<CrashControl> {

  private final CrashTest test;
  private final CrashSettings settings;
  private final Deque<CrashUnit> units = new ArrayDeque<>();
  private final Deque<CrashPoint> points = new ArrayDeque<>();
  private CrashUnit unit;
  private boolean exploring;

  CrashTestRun(CrashTest test) {
    this.test = test;
    settings = settings(test);
    units.addAll(List.of(test.units()));
    if (units.isEmpty()) {
      throw new IllegalArgumentException("a crash test needs a disk: units is empty");
    }
    unit = units.getFirst();
  }

  private static CrashSettings settings(CrashTest test) {
    CrashSettings settings = new CrashSettings(test.seed());
    settings.kinds = EnumSet.copyOf(List.of(test.kinds()));
    settings.maxStates = test.states();
    settings.maxRecoveryPoints = test.recoveryPoints();
    int preemptOneIn = test.preemptOneIn();
    if (preemptOneIn > 0) {
      settings.schedules = seed -> Schedule.random(seed, preemptOneIn);
    }
    return settings;
  }

  /** Returns the one invocation that a replay asks for. */
  CrashControl only(CrashReplay replay) {
    return new CrashControl(
        settings.seeded(replay.seed()), replay.unit(), replay.first().point(), replay, this);
  }

  @Override
  public boolean hasNext() {
    // If the whole run failed, there are no points, and the next disk would fail as well.
    return !points.isEmpty() || (!units.isEmpty() && !exploring);
  }

  @Override
  public CrashControl next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    if (points.isEmpty()) {
      unit = units.removeFirst();
      exploring = true;
      return new CrashControl(settings, unit, CrashPoint.END, null, this);
    }
    return new CrashControl(settings, unit, points.removeFirst(), null, this);
  }

  /** The work has run to its end. */
  void explored(List<CrashPoint> found) {
    exploring = false;
    points.addAll(CrashPoints.spread(found, test.points()));
  }
}

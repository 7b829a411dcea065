package io.howdah.testkit;

import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.List;
import java.util.Objects;

/**
 * The simulated machine a crash test's program runs on, for one life of its process.
 *
 * @param disk for faults and damage; do not crash it, the explorer does
 * @param execution threads and time; it schedules only if the explorer was given a schedule
 * @param crashes what ended the lives before this one, the work's first; empty for the work itself
 */
public record Machine(SimulatedDisk disk, SimulatedExecution execution, List<CrashKind> crashes) {

  /** Checks what must be there. */
  public Machine {
    Objects.requireNonNull(disk, "disk");
    Objects.requireNonNull(execution, "execution");
    crashes = List.copyOf(crashes);
  }

  /** Returns whether one of the crashes may have lost what was not forced. */
  public boolean mayHaveLostUnforced() {
    return crashes.stream().anyMatch(CrashKind::losesUnforced);
  }

  /** Returns whether one of the crashes was of this kind. */
  public boolean hasMet(CrashKind kind) {
    return crashes.contains(kind);
  }

  /** Returns the disk as this process sees it. */
  public Storage storage() {
    return disk.storage();
  }

  /** Lets the next life of the process end, or meet a fault, at a point. */
  void disturbAt(CrashPoint point) {
    disk.disturbAt(point);
    execution.killAtStep(point.where() == CrashPoint.Where.STEP ? point.number() : -1);
  }
}

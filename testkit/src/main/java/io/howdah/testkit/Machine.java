package io.howdah.testkit;

import io.howdah.core.storage.Storage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The simulated machine a crash test's program runs on, for one life of its process.
 *
 * @param disk for faults and damage; do not crash it, the explorer does
 * @param execution threads and time; it schedules only if the explorer was given a schedule
 * @param crash how the previous process ended, or null for the first one
 */
public record Machine(SimulatedDisk disk, SimulatedExecution execution, @Nullable CrashKind crash) {

  /** Checks what must be there. */
  public Machine {
    Objects.requireNonNull(disk, "disk");
    Objects.requireNonNull(execution, "execution");
  }

  /** Returns the disk as this process sees it. */
  public Storage storage() {
    return disk.storage();
  }

  /** Lets the next life of the process end at a point. */
  void dieAt(CrashPoint point) {
    disk.crashAt(point);
    execution.killAtStep(point.where() == CrashPoint.Where.STEP ? point.number() : -1);
  }
}

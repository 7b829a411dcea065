package io.howdah.testkit.disk;

import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import java.util.ArrayList;
import java.util.List;

/** Where a process that a disk has seen to its end might have died. */
public final class CrashPoints {

  private CrashPoints() {}

  /**
   * Returns the points before, in the middle of and after the operations that changed a disk.
   *
   * @param first number of the first operation that counts
   */
  public static List<CrashPoint> ofOperations(SimulatedDisk disk, long first) {
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

  /** Returns at most so many of them, evenly spread. */
  public static <T> List<T> spread(List<T> all, int max) {
    if (all.size() <= max) {
      return all;
    }
    List<T> some = new ArrayList<>();
    for (int i = 0; i < max; i++) {
      some.add(all.get((int) ((long) all.size() * i / max)));
    }
    return some;
  }
}

package io.howdah.testkit.disk;

import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;

/**
 * The rules of one file system.
 *
 * @param tracked whether a power cut can take anything; not so on a volatile place, which goes
 *     whole
 * @param unit what is kept or lost as a whole
 * @param historyPerUnit how many values between the durable and the latest one are kept for a unit;
 *     of more than that, a spread is kept
 * @param failedForce what a failed force leaves
 */
record DiskModel(boolean tracked, CrashUnit unit, int historyPerUnit, FailedForce failedForce) {

  int unitBytes() {
    return unit.bytes();
  }
}

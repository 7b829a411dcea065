package io.howdah.collections;

import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.expiry.Reclaimer;
import io.howdah.core.report.ProgramLog;

/**
 * What a map whose entries expire has been opened with. Its type says that they do, so a program
 * that does not know of it refuses the map.
 *
 * <p>A value in the table begins with its stamp: 8 bytes, little-endian, the milliseconds since
 * 1970 when it expires, or 0 for never. The value's own bytes follow. The stamp is the time itself,
 * so no crash and no pause of the program makes an entry live longer.
 *
 * @param reclaimer of the store
 */
record MapExpiry(
    Expiry declaration, ExpiryClock clock, Reclaimer reclaimer, ProgramLog programLog) {

  private static final String PREFIX = "expiring ";

  /** Returns the type of a map whose entries expire. */
  static String expiring(String mapType) {
    return PREFIX + mapType;
  }
}

package io.howdah.collections;

import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.expiry.Reclaimer;
import io.howdah.core.report.ProgramLog;
import org.jspecify.annotations.Nullable;

/**
 * What a map whose entries expire has been opened with. Its type says that they do, so a program
 * that does not know of it refuses the map.
 *
 * <p>A value in the table or tree begins with its stamp: 8 bytes, little-endian, the milliseconds
 * since 1970 when it expires, or 0 for never. The value's own bytes follow. The stamp is the time
 * itself, so no crash and no pause of the program makes an entry live longer.
 *
 * @param reclaimer of the store
 */
record MapExpiry(
    Expiry declaration, ExpiryClock clock, Reclaimer reclaimer, ProgramLog programLog) {

  /** Bytes before a value: when it expires. */
  static final int STAMP_BYTES = Long.BYTES;

  private static final String PREFIX = "expiring ";

  /**
   * Returns the length of what a table or tree has as values.
   *
   * @param length of the values; negative if it varies
   * @param expiry null if entries do not expire
   */
  static int valueLength(int length, @Nullable MapExpiry expiry) {
    return expiry == null || length < 0 ? length : STAMP_BYTES + length;
  }

  /** Returns the type of a map whose entries expire. */
  static String expiring(String mapType) {
    return PREFIX + mapType;
  }
}

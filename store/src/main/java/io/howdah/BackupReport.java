package io.howdah;

import java.time.Duration;

/** What a backup holds. Immutable. */
public final class BackupReport {

  /** The values, in the order in which they are printed. */
  record Values(long lsn, long fromLsn, long writtenBytes, Duration took) {}

  private final Values values;

  BackupReport(Values values) {
    this.values = values;
  }

  /** Returns the LSN up to which the backup holds every commit. It may hold some later ones. */
  public long lsn() {
    return values.lsn;
  }

  /** Returns the smallest LSN as of which the backup can be restored. */
  public long fromLsn() {
    return values.fromLsn;
  }

  /** Returns the length of the backup. */
  public long writtenBytes() {
    return values.writtenBytes;
  }

  /** Returns how long it took. */
  public Duration took() {
    return values.took;
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "BackupReport");
  }
}

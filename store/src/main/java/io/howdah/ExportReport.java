package io.howdah;

import io.howdah.store.export.Transferred;

/** What an export holds. Immutable. */
public final class ExportReport {

  /** The values, in the order in which they are printed. */
  record Values(long structures, long items, long bytes) {}

  private final Values values;

  private ExportReport(Values values) {
    this.values = values;
  }

  static ExportReport of(Transferred transferred) {
    return new ExportReport(
        new Values(transferred.structures(), transferred.items(), transferred.bytes()));
  }

  /** Returns the number of structures. Indexes and change journals count. */
  public long structures() {
    return values.structures;
  }

  /**
   * Returns the number of items: entries, elements, counters, changes, and parts of blobs of up to
   * 64 KiB.
   */
  public long items() {
    return values.items;
  }

  /** Returns the length of the file. */
  public long bytes() {
    return values.bytes;
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "ExportReport");
  }
}

package io.howdah;

import io.howdah.checkpoint.CheckpointResult;
import java.time.Duration;

/** What one checkpoint did. Immutable. */
public final class CheckpointReport {

  /** The values, in the order in which they are printed. */
  record Values(
      long sequence,
      long lsn,
      long dirtyPages,
      long wholePages,
      long lines,
      long writtenBytes,
      Duration took) {}

  private final Values values;

  CheckpointReport(Values values) {
    this.values = values;
  }

  /** Returns the number of the checkpoint, from 1 in the life of a store. */
  public long sequence() {
    return values.sequence;
  }

  /** Returns its LSN: a recovery replays only transactions with larger LSNs. */
  public long lsn() {
    return values.lsn;
  }

  /** Returns how many pages of 4 KiB were written to since the checkpoint before. */
  public long dirtyPages() {
    return values.dirtyPages;
  }

  /** Returns how many of these pages it wrote as a whole. */
  public long wholePages() {
    return values.wholePages;
  }

  /** Returns how many lines of 64 bytes it wrote of the other pages. */
  public long lines() {
    return values.lines;
  }

  /** Returns how many bytes it wrote, to journal, image and superblock. */
  public long writtenBytes() {
    return values.writtenBytes;
  }

  /** Returns how long it took. */
  public Duration took() {
    return values.took;
  }

  static CheckpointReport of(CheckpointResult result) {
    return new CheckpointReport(
        new Values(
            result.sequence(),
            result.lsn(),
            result.dirtyPages(),
            result.wholePages(),
            result.lines(),
            result.writtenBytes(),
            Duration.ofNanos(result.totalNanos())));
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "CheckpointReport");
  }
}

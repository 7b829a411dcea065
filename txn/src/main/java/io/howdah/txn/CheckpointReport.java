package io.howdah.txn;

import io.howdah.checkpoint.CheckpointResult;
import java.time.Duration;

/**
 * What one checkpoint did.
 *
 * @param sequence of the checkpoint, from 1 in the life of a store
 * @param lsn a recovery replays only transactions with larger LSNs
 * @param dirtyPages pages of 4 KiB that had been written to since the checkpoint before
 * @param wholePages of them, written as a whole
 * @param lines of 64 bytes written of the other ones
 * @param writtenBytes handed to writes, of journal, image and superblock
 * @param took how long it took
 */
public record CheckpointReport(
    long sequence,
    long lsn,
    long dirtyPages,
    long wholePages,
    long lines,
    long writtenBytes,
    Duration took) {

  static CheckpointReport of(CheckpointResult result) {
    return new CheckpointReport(
        result.sequence(),
        result.lsn(),
        result.dirtyPages(),
        result.wholePages(),
        result.lines(),
        result.writtenBytes(),
        Duration.ofNanos(result.totalNanos()));
  }
}

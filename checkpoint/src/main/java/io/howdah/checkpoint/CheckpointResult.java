package io.howdah.checkpoint;

import io.howdah.core.layout.SuperblockLayout;

/**
 * What one checkpoint beside commits did. Durations are in nanoseconds.
 *
 * @param sequence of the checkpoint, from 1
 * @param lsn dense LSN: the next recovery replays only what came after it
 * @param dirtyPages copied
 * @param wholePages of them, written as a whole
 * @param lines written of the others
 * @param journalBytes handed to writes of the journal
 * @param imageBytes handed to writes of the image
 * @param headerBytes handed to writes of the superblock
 * @param drainNanos waiting for commits that were under way at the start
 * @param copyNanos copying, comparing, writing the journal, its force included
 * @param stableNanos waiting until the log had forced all that was copied
 * @param foldNanos writing the image, its force included
 * @param restNanos of all this, left to others
 * @param totalNanos all of it
 */
public record CheckpointResult(
    long sequence,
    long lsn,
    long dirtyPages,
    long wholePages,
    long lines,
    long journalBytes,
    long imageBytes,
    long headerBytes,
    long drainNanos,
    long copyNanos,
    long stableNanos,
    long foldNanos,
    long restNanos,
    long totalNanos) {

  /** Two states of the superblock, each in two slots. */
  static final long HEADER_BYTES = 2L * SuperblockLayout.SLOTS * SuperblockLayout.SLOT_LENGTH;

  /** Returns all bytes handed to writes. */
  public long writtenBytes() {
    return journalBytes + imageBytes + headerBytes;
  }
}

package io.howdah.checkpoint;

import io.howdah.core.layout.SuperblockLayout;

/**
 * The result of a checkpoint of an open store. Durations are in nanoseconds.
 *
 * @param sequence the checkpoint's sequence, from 1
 * @param lsn dense LSN; the next recovery replays only records with larger LSNs
 * @param dirtyPages number of copied pages
 * @param wholePages number of them that were written as a whole
 * @param lines number of lines written of the other pages
 * @param journalBytes bytes passed to writes of the journal
 * @param imageBytes bytes passed to writes of the image
 * @param headerBytes bytes passed to writes of the superblock
 * @param drainNanos wait for commits that ran at the start
 * @param copyNanos copying, comparing and writing the journal, its force included
 * @param stableNanos wait until the log had forced the records of everything that was copied
 * @param foldNanos writing the image, its force included
 * @param restNanos rests, which are part of the other durations
 * @param totalNanos total time
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

  /** Returns the number of bytes passed to writes. */
  public long writtenBytes() {
    return journalBytes + imageBytes + headerBytes;
  }
}

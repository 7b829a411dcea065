package io.howdah.checkpoint;

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
 * @param drainNanos waiting for commits that were under way at the start
 * @param copyNanos copying, comparing, writing the journal, its force included
 * @param stableNanos waiting until the log had forced all that was copied
 * @param foldNanos writing the image, its force included
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
    long drainNanos,
    long copyNanos,
    long stableNanos,
    long foldNanos,
    long totalNanos) {}

package io.howdah.checkpoint.report;

import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;

/**
 * The report of the recovery at the opening of a store. Durations are in nanoseconds.
 *
 * @param outcome how the previous opening ended, and which of its commits survive
 * @param rings whether the rings of the previous process could be used
 * @param memory where the memory of the store came from
 * @param generation the generation that began with this opening
 * @param lsn the largest dense LSN seen; the first commit took the one after it
 * @param counts amount of log that was read and replayed
 * @param deferredWords number of words that were replayed after the store had opened
 * @param laterLogBytes length of the segments that were read after the store had opened, because of
 *     a summary of the log; {@code counts} and {@code deferredWords} do not include them
 * @param foldedPages number of pages of a checkpoint that the previous process had journaled and
 *     not folded; -1 if its journal is damaged, so that the checkpoint before it and the log were
 *     used
 * @param checkpointedPages number of pages of the checkpoint taken before the store opened, or 0
 * @param healedSuperblock whether one of the superblock's two slots was damaged
 */
public record RecoveryReport(
    RecoveryOutcome outcome,
    RingTrust rings,
    MemoryOrigin memory,
    long generation,
    long lsn,
    LogCounts counts,
    long deferredWords,
    long laterLogBytes,
    long foldedPages,
    long checkpointedPages,
    boolean healedSuperblock,
    Durations durations) {

  /**
   * Durations of the phases, in nanoseconds.
   *
   * @param fold folding a leftover journal
   * @param image mapping or loading the image
   * @param replay reading the log and replaying the words that were not deferred
   * @param relog forcing the log, and writing records to it that only the rings contained
   * @param fence writing the outcome to the superblock
   * @param checkpoint the checkpoint before the opening, and the replay of all words before it
   */
  public record Durations(
      long fold, long image, long replay, long relog, long fence, long checkpoint) {

    /** Returns the sum. */
    public long total() {
      return fold + image + replay + relog + fence + checkpoint;
    }
  }
}

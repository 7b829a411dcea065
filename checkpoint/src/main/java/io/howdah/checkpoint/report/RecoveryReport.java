package io.howdah.checkpoint.report;

import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;

/**
 * What happened when a store was opened. Durations are in nanoseconds.
 *
 * @param outcome how the opening before had ended, and what of it survives
 * @param rings whether the rings of the process before could be used
 * @param generation the one that began with this opening
 * @param lsn the largest dense LSN seen; the first commit took the one after it
 * @param counts how much log was read and replayed
 * @param deferredWords how many of the words were replayed only after the store had opened
 * @param laterLogBytes length of the segments that were read only after the store had opened, by a
 *     summary of the log; {@code counts} and {@code deferredWords} do not have them
 * @param foldedPages of a checkpoint that the process before had journaled and not folded; -1 if
 *     its journal is damaged, so that the checkpoint before and the log served instead
 * @param checkpointedPages of the checkpoint taken before the store opened, 0 if there was none
 * @param healedSuperblock whether one of the superblock's two slots was damaged
 */
public record RecoveryReport(
    RecoveryOutcome outcome,
    RingTrust rings,
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
   * How long the phases took, in nanoseconds.
   *
   * @param fold of a leftover journal
   * @param image mapping or loading
   * @param replay reading the log, and replaying of it what was not deferred
   * @param relog forcing the log, and writing to it what only rings held
   * @param fence making the outcome the store's state
   * @param checkpoint before opening, and the replay of everything before that
   */
  public record Durations(
      long fold, long image, long replay, long relog, long fence, long checkpoint) {

    /** Returns the sum. */
    public long total() {
      return fold + image + replay + relog + fence + checkpoint;
    }
  }
}

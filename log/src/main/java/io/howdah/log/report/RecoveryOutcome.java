package io.howdah.log.report;

/** How the last opening had ended, and what of it survives. LSNs are dense. */
public sealed interface RecoveryOutcome {

  /** The store had been closed: nothing was to be replayed. */
  record Clean() implements RecoveryOutcome {}

  /**
   * The process ended, the machine ran on: every commit that had returned survives.
   *
   * @param lsn the largest recovered
   * @param holes LSNs taken by commits that died before they published anything
   */
  record AfterKill(long lsn, int holes) implements RecoveryOutcome {}

  /**
   * Only forced batches count, as after a power cut: every commit acknowledged as durable survives.
   *
   * @param cut every commit up to this LSN survives
   * @param partitionsBeyond how many partitions have further, independent survivors
   * @param discardedRecords records read that do not survive, since what they build on is lost
   * @param tornBytes bytes of the batch that was being written, 0 if none was
   */
  record AfterPowerCut(long cut, int partitionsBeyond, long discardedRecords, long tornBytes)
      implements RecoveryOutcome {}
}

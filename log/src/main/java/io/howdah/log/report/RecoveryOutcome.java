package io.howdah.log.report;

/** The way in which the last opening ended, and which commits survive. LSNs are dense. */
public sealed interface RecoveryOutcome {

  /** The store was closed; there was nothing to replay. */
  record Clean() implements RecoveryOutcome {}

  /**
   * The process ended and the machine kept running: every commit that had returned survives.
   *
   * @param lsn the largest recovered LSN
   * @param holes number of LSNs whose commits were killed before they published a record
   */
  record AfterKill(long lsn, int holes) implements RecoveryOutcome {}

  /**
   * Only forced batches count, as after a power cut: every commit acknowledged as durable survives.
   *
   * @param cut every commit up to this LSN survives
   * @param partitionsBeyond number of partitions with further, independent survivors
   * @param discardedRecords number of records that do not survive, since a commit that they depend
   *     on is lost
   * @param tornBytes bytes of the batch whose write was interrupted, 0 if there was none
   */
  record AfterPowerCut(long cut, int partitionsBeyond, long discardedRecords, long tornBytes)
      implements RecoveryOutcome {}
}

package io.howdah;

import io.howdah.txn.stm.Attempt;

/**
 * Identifies a commit to code that waits for its durability.
 *
 * @param lsn its dense LSN; of a transaction that wrote nothing, that of the newest commit it has
 *     read from
 * @param partition the one that holds its record, {@link Attempt#NO_RECORD} for a transaction that
 *     wrote nothing
 * @param end where the record ends: forced up to here, the partition holds it
 * @param dependency the dense LSN that has to be stable for the record to count; 0 for none
 */
record CommitPoint(long lsn, int partition, long end, long dependency) {

  /** Returns the outcome that an attempt holds. */
  static CommitPoint of(Attempt attempt) {
    return new CommitPoint(
        attempt.lsn(), attempt.recordPartition(), attempt.recordEnd(), attempt.recordDependency());
  }

  /** Returns what stands for all commits up to an LSN, without a record of its own. */
  static CommitPoint upTo(long lsn) {
    return new CommitPoint(lsn, Attempt.NO_RECORD, 0, 0);
  }

  boolean hasRecord() {
    return partition != Attempt.NO_RECORD;
  }
}

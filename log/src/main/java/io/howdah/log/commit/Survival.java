package io.howdah.log.commit;

/** What of the log must be forced before a commit counts as surviving a power cut. */
public enum Survival {
  /** The records of all LSNs up to the commit's. */
  PREFIX,
  /**
   * The commit's record and all LSNs up to its dependency; without a record, as {@link #PREFIX}.
   */
  RECORD
}

package io.howdah.log.commit;

/** The part of the log that must be forced before a commit is reported as durable. */
public enum Survival {
  /** The records of all LSNs up to the commit's. */
  PREFIX,
  /**
   * The commit's record and all LSNs up to its dependency. Without a record, like {@link #PREFIX}.
   */
  RECORD
}

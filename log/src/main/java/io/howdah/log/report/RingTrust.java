package io.howdah.log.report;

/** Whether a recovery could use the rings of the last opening. */
public sealed interface RingTrust {

  /** No rings were needed: the store was closed, or had not yet accepted commits. */
  record NotNeeded() implements RingTrust {}

  /**
   * All rings exist as the process left them: every commit that had returned survives.
   *
   * @param records number of records in rings that are in no forced batch
   * @param bytes length of these records
   */
  record Trusted(long records, long bytes) implements RingTrust {}

  /**
   * A ring is missing or damaged, as after a power cut; only forced batches count.
   *
   * @param reason the first problem that was found
   */
  record Untrusted(String reason) implements RingTrust {}
}

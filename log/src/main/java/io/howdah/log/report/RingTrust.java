package io.howdah.log.report;

/** Whether a recovery could use the rings of the process before. */
public sealed interface RingTrust {

  /**
   * There were none to look for: the store was closed, or never got as far as accepting commits.
   */
  record NotNeeded() implements RingTrust {}

  /**
   * All rings were there, as the process left them: every commit that had returned survives.
   *
   * @param records that no forced batch held
   * @param bytes these records took
   */
  record Trusted(long records, long bytes) implements RingTrust {}

  /**
   * Not all rings were there or in order, as after a power cut; forced batches alone count.
   *
   * @param reason what was found wrong first
   */
  record Untrusted(String reason) implements RingTrust {}
}

package io.howdah.testkit.crash;

/** What a force that failed leaves behind, until the next power cut shows what is really there. */
public enum FailedForce {
  /**
   * The units it should have made durable stay unknown, whatever is written to them or forced
   * later. The strict rule, and the default.
   */
  UNKNOWN_FOR_EVER,
  /**
   * A unit becomes known again when it is written anew and a later force succeeds, as on a kernel
   * that drops the dirty mark of pages it failed to write.
   */
  UNKNOWN_UNTIL_REWRITTEN
}

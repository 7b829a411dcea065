package io.howdah;

/** How the opening of a store before the present one had ended. */
public enum LastStop {
  /** The store was closed, or it is new: nothing was recovered. */
  CLEAN,
  /** The process ended and the machine ran on: every commit that had returned is there. */
  KILL,
  /**
   * The machine stopped, or the rings of the store were lost: every commit that was acknowledged as
   * durable is there, and the newest others may be missing.
   */
  POWER_CUT
}

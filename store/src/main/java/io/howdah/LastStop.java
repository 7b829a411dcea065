package io.howdah;

/**
 * How the previous opening of a store ended: whether the present one had to recover it, and what
 * may be missing since. {@link StoreAdmin#lastStop} returns it.
 */
public enum LastStop {
  /** The store was closed, or it is new: nothing was recovered. */
  CLEAN,
  /**
   * The process ended and the machine continued to run: every commit that had returned is there.
   */
  KILL,
  /**
   * The machine stopped, or the rings of the store were lost: every commit that was acknowledged as
   * durable is there, and the newest others may be missing.
   */
  POWER_CUT
}

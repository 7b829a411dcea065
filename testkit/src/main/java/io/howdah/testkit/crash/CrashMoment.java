package io.howdah.testkit.crash;

/** Where in an operation a process dies. */
public enum CrashMoment {
  /** The operation was asked for and did nothing. */
  BEFORE,
  /** A write, or a copy into a mapped region, was done in part; of anything else, nothing was. */
  MIDDLE,
  /** The operation was done, but the process never learnt it. */
  AFTER
}

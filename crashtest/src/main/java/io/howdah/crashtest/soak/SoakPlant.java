package io.howdah.crashtest.soak;

/** What the process under load does wrong on purpose, so that one sees the soak notice it. */
public enum SoakPlant {
  /** Nothing. */
  NONE,
  /** One operation in 100 is acknowledged and not done. */
  LOST_OPERATIONS,
  /** Arrays stay reachable. */
  HEAP,
  /** Files stay open. */
  DESCRIPTORS,
  /** Threads stay. */
  THREADS
}

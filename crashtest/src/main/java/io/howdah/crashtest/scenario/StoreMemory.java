package io.howdah.crashtest.scenario;

import io.howdah.StoreOptions;
import io.howdah.core.Backing;
import io.howdah.testkit.disk.SimulatedDisk;

/** Whether the memory of a scenario's stores ends with their process. */
enum StoreMemory {
  /** It does: {@link Backing#MAPPED}, unless the scenario says otherwise. */
  OWN(""),

  /**
   * It outlives the process. After each end of a process, an opening that uses this memory is
   * compared with one that does not ({@link MemoryEquivalence}).
   */
  SHARED("-shared");

  private static final int NO_TMPFS_ONE_IN = 12;

  private final String suffix;

  StoreMemory(String suffix) {
    this.suffix = suffix;
  }

  /** Returns the name of a scenario with this memory. */
  String nameOf(String scenario) {
    return scenario + suffix;
  }

  /**
   * Returns the options of a store with this memory.
   *
   * @param isKept whether memory that outlives the process is kept over a close
   */
  StoreOptions of(StoreOptions options, boolean isKept) {
    return this == SHARED ? options.withBacking(Backing.SHARED).withWarmClose(isKept) : options;
  }

  /**
   * Returns the size of the tmpfs of a disk.
   *
   * @param isAbsent whether a disk of stores with memory of their own has none; with memory that
   *     outlives the process, it seldom has none
   */
  long volatileBytes(long seed, boolean isAbsent) {
    boolean absent = this == SHARED ? seed % NO_TMPFS_ONE_IN == 0 : isAbsent;
    return absent ? 0 : 1 << 30;
  }

  /** Judges what a process has left, if there is memory that may outlive it. */
  void judge(SimulatedDisk disk) {
    if (this == SHARED) {
      MemoryEquivalence.judge(disk);
    }
  }
}

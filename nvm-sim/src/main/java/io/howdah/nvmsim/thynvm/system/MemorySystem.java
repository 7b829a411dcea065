package io.howdah.nvmsim.thynvm.system;

/**
 * Main memory with or without crash consistency, as the last cache level sees it. Lines are block
 * indexes of the physical address space.
 */
public interface MemorySystem {
  /** Returns when a line read now is there. */
  long read(long nowPs, long line);

  /** Takes a line from the caches and returns when the access that displaced it may go on. */
  long writeBack(long nowPs, long line);

  /** Says whose lines a checkpoint must flush; without this call, it flushes none. */
  default void attach(DirtyLines caches) {}

  /**
   * A store changes a cached line that was like memory. Returns when the store may go on: a system
   * that must be able to take all changed lines into one checkpoint may take it first.
   */
  default long lineChanges(long nowPs, long line) {
    return nowPs;
  }

  /**
   * Returns when the epoch has lasted its time, whether memory is accessed then or not; {@link
   * Long#MAX_VALUE} without epochs.
   */
  default long epochEnds() {
    return Long.MAX_VALUE;
  }

  /**
   * Ends the epoch if it has lasted its time: a program whose data fits the caches may not access
   * memory for long. Returns when the program may go on.
   */
  default long endDueEpoch(long nowPs) {
    return nowPs;
  }

  /** Ends the epoch, as an instruction for explicit persistence does (§6), and waits for it. */
  long persistNow(long nowPs);

  SystemStats stats();
}

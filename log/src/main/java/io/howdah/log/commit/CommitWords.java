package io.howdah.log.commit;

import io.howdah.core.Region;

/**
 * The words that all commits of one store share, in anonymous memory. Each is on a separate cache
 * line unless stated otherwise.
 *
 * <pre>
 *     0 | clock     largest dense LSN taken
 *   256 | stable    largest dense LSN such that it and all before it survive a power cut
 *   512 | gate      0 if it is open; the ticket of the irrevocable transaction inside; -1 while
 *       |           commits are blocked
 *   768 | requested largest dense LSN that a thread outside the queue waits for
 *  1024 | parked    while the flusher is parked or will park: the number of entries in the queue
 *       |           that wakes it; otherwise 0
 *  1280 | stopped   1 after the log has failed or was closed: it accepts no more commits
 *  1536 | spinner   1 while a thread spins for a force instead of parking
 *  1792 | blocked   1 while commits are blocked: the log is at its maximum length
 *  2048 | lease of lane 0, then one every 256 bytes: 0, or 1 + the number of its owner, the
 *       | attempt that has leased it
 *  2056 | parts of partition 0, after each lease: 0, or 1 + the position of the first part of the
 *       | transaction that a lane of the partition is writing
 *  2064 | storing of lane 0, after each lease, for lanes that share a partition: 0, or 1 + a
 *       | dense LSN below that of the running commit, until the commit has stored its words
 *  2176 | append lock of partition 0, on the line after each lease, for a partition with several
 *       | lanes: 0, or 1 + the number of the lane that appends to the ring
 *  2184 | taint of partition 0, after each append lock: the dependency of the last record, packed
 *  2192 | last group of parts of partition 0, after each append lock
 * </pre>
 */
public final class CommitWords {

  public static final long CLOCK = 0;
  public static final long STABLE = 256;
  static final long GATE = 512;
  public static final long REQUESTED = 768;
  public static final long PARKED = 1024;
  public static final long STOPPED = 1280;
  public static final long SPINNER = 1536;

  static final long BLOCKED = 1792;

  private static final long LEASES = 2048;
  private static final long SPACING = 256;

  /** On a line that the processor does not fetch together with the line of the lease. */
  private static final long APPEND_LOCK = 128;

  /**
   * Maximum number of lanes of a store whose lanes share partitions. Words for this number of lanes
   * exist also if there are fewer; there are more if there are more partitions.
   */
  static final int MAX_SHARING_LANES = 64;

  private CommitWords() {}

  static long lease(int lane) {
    return LEASES + lane * SPACING;
  }

  static long parts(int partition) {
    return lease(partition) + Long.BYTES;
  }

  static long storing(int lane) {
    return lease(lane) + 2 * Long.BYTES;
  }

  static long appendLock(int partition) {
    return lease(partition) + APPEND_LOCK;
  }

  /**
   * Returns the number of bytes for {@code partitions} partitions and the lanes that share them.
   */
  public static long lengthBytes(int partitions) {
    return lease(Math.max(partitions, MAX_SHARING_LANES));
  }

  /** Sets the initial clock and stable LSN of an opening. */
  public static void start(Region commitWords, long lsn) {
    commitWords.setLongVolatile(CLOCK, lsn);
    commitWords.setLongVolatile(STABLE, lsn);
    commitWords.setLongVolatile(REQUESTED, lsn);
  }
}

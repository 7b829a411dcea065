package io.howdah.log.commit;

import io.howdah.core.Region;

/**
 * The words that all commits of one store share, in anonymous memory, each on cache lines of its
 * own.
 *
 * <pre>
 *     0 | clock     largest dense LSN taken
 *   256 | stable    largest dense LSN such that it and all before it survive a power cut
 *   512 | gate      0, or the ticket of the irrevocable transaction that alone may commit, or -1
 *       |           while held
 *   768 | wanted    largest dense LSN that a thread outside the queue waits for
 *  1024 | parked    while the flusher is parked or about to park: how many in the queue wake it;
 *       |           else 0
 *  1280 | stopped   1 once the log accepts no commits any more: failed or closed
 *  1536 | spinner   1 while a thread spins for a force instead of parking
 *  1792 | held      1 while the log is at its limit: no commit may begin
 *  2048 | lease of lane 0, then one every 256 bytes: 0, or 1 + the home of its holder
 *  2056 | parts of partition 0, beside each lease: 0, or 1 + the position of the first part of the
 *       | transaction that a lane of the partition is handing over
 *  2064 | storing of lane 0, beside each lease, of lanes that share a partition: 0, or 1 + an LSN
 *       | below that of the commit under way, until it has stored its words
 *  2176 | append lock of partition 0, on the line behind each lease, of a partition with several
 *       | lanes: 0, or 1 + the number of the lane that appends to the ring
 *  2184 | taint of partition 0, beside each append lock
 *  2192 | last group of parts of partition 0, beside each append lock
 * </pre>
 */
public final class CommitWords {

  public static final long CLOCK = 0;
  public static final long STABLE = 256;
  static final long GATE = 512;
  public static final long WANTED = 768;
  public static final long PARKED = 1024;
  public static final long STOPPED = 1280;
  public static final long SPINNER = 1536;

  static final long HELD = 1792;

  private static final long LEASES = 2048;
  private static final long SPACING = 256;

  /** A line that the processor does not fetch together with the lease's. */
  private static final long APPEND_LOCK = 128;

  /** Fewest lanes that there are words for: partitions may share so many. */
  static final int MIN_LANES = 64;

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

  /** Returns the bytes needed for so many partitions, and the lanes that may share them. */
  public static long lengthBytes(int partitions) {
    return lease(Math.max(partitions, MIN_LANES));
  }

  /** Sets the clock and the stable LSN that an opening starts from. */
  public static void start(Region words, long lsn) {
    words.setLongVolatile(CLOCK, lsn);
    words.setLongVolatile(STABLE, lsn);
    words.setLongVolatile(WANTED, lsn);
  }
}

package io.howdah.replica.ratis;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The removals of entries from Ratis's log that are decided and not yet made. Until the log's
 * thread has made one, Ratis's index of forced entries still counts what it removes.
 *
 * <p>Thread-safe.
 */
final class Truncations {

  /** First index of each removal, in the order of the decisions; guarded by this. */
  private final Queue<Long> decided = new ArrayDeque<>();

  /** Index of the entry that was written last; guarded by this. */
  private long written;

  /**
   * Creates an instance with no removal decided.
   *
   * @param last index of the last entry of the log, or -1
   */
  Truncations(long last) {
    this.written = last;
  }

  /** Notes that the entries from an index on are to be removed. */
  synchronized void decided(long first) {
    decided.add(first);
  }

  /**
   * Notes that an entry was written. Called for each entry, in the order of the log's thread,
   * before the entry counts as forced. An entry whose index is not above that of the one before is
   * the first behind a removal.
   */
  synchronized void written(long index) {
    if (index <= written) {
      decided.poll();
    }
    written = index;
  }

  /** Returns the index up to which no entry is to be removed. */
  synchronized long kept() {
    long kept = Long.MAX_VALUE;
    for (long first : decided) {
      kept = Math.min(kept, first - 1);
    }
    return kept;
  }
}

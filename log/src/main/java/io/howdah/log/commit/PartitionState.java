package io.howdah.log.commit;

import io.howdah.core.Region;

/**
 * The append lock of a partition that several lanes share, and what its holders hand on to each
 * other (docs/protocol.md, R33). One cache line has all of it, since it comes from another
 * processor each time. Where the partition's records end, its ring says.
 */
final class PartitionState {

  private final Region words;
  private final long lock;
  private final long taint;
  private final long group;

  PartitionState(Region words, int partition) {
    this.words = words;
    this.lock = CommitWords.appendLock(partition);
    this.taint = lock + Long.BYTES;
    this.group = taint + Long.BYTES;
  }

  /** Takes the append lock if it is free; {@code holder} is not 0. */
  boolean tryLock(long holder) {
    return words.compareAndSetLong(lock, 0, holder);
  }

  /** Gives the append lock back, with all that its holder has stored. */
  void unlock() {
    words.setLongRelease(lock, 0);
  }

  boolean isLocked() {
    return words.getLongAcquire(lock) != 0;
  }

  boolean isLockedBy(long holder) {
    return words.getLongAcquire(lock) == holder;
  }

  /** Raises the dependency of the partition's records, and returns it; for the lock's holder. */
  long raiseTaint(long dependency) {
    long before = words.getLong(taint);
    if (dependency <= before) {
      return before;
    }
    words.setLong(taint, dependency);
    return dependency;
  }

  /** Returns a number for a group of parts; for the lock's holder. */
  long nextGroup() {
    long next = words.getLong(group) + 1;
    words.setLong(group, next);
    return next;
  }
}

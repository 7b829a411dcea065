package io.howdah.log.commit;

import io.howdah.core.Region;

/**
 * The append lock of a partition that several lanes share, and the state that the lock guards
 * (docs/protocol.md, R33). {@link Lane} calls it. All of it is in one cache line, since each
 * acquisition fetches the line from another processor. The end of the partition's records is in its
 * ring.
 */
final class PartitionState {

  private final Region commitWords;
  private final long lock;
  private final long taint;
  private final long group;

  PartitionState(Region commitWords, int partition) {
    this.commitWords = commitWords;
    this.lock = CommitWords.appendLock(partition);
    this.taint = lock + Long.BYTES;
    this.group = taint + Long.BYTES;
  }

  /** Acquires the append lock if it is free; {@code owner} is not 0. */
  boolean tryLock(long owner) {
    return commitWords.compareAndSetLong(lock, 0, owner);
  }

  /** Releases the append lock. The release store pairs with the compare-and-set in tryLock. */
  void unlock() {
    commitWords.setLongRelease(lock, 0);
  }

  boolean isLocked() {
    return commitWords.getLongAcquire(lock) != 0;
  }

  boolean isLockedBy(long owner) {
    return commitWords.getLongAcquire(lock) == owner;
  }

  /** Raises the dependency of the partition's records and returns it. The caller has the lock. */
  long raiseTaint(long dependency) {
    long before = commitWords.getLong(taint);
    if (dependency <= before) {
      return before;
    }
    commitWords.setLong(taint, dependency);
    return dependency;
  }

  /** Returns a new number for a group of parts. The caller has the lock. */
  long nextGroup() {
    long next = commitWords.getLong(group) + 1;
    commitWords.setLong(group, next);
    return next;
  }
}

package io.howdah.log.commit;

/**
 * The outcome of a commit, for code that waits until it survives a crash: its LSN and, if it has
 * left a redo record, where the record is and what it depends on. An attempt has one and uses it
 * again; a waiter has a copy. Not thread-safe while it changes.
 */
public final class CommitPoint {

  private static final int NO_RECORD = -1;

  private long lsn;
  private int partition = NO_RECORD;
  private long end;
  private long dependency;

  /** Returns the point of all commits up to an LSN, without a record of its own. */
  public static CommitPoint upTo(long lsn) {
    CommitPoint point = new CommitPoint();
    point.lsn = lsn;
    return point;
  }

  /** Returns the point of a commit with a record; see the accessors. */
  public static CommitPoint of(long lsn, int partition, long end, long dependency) {
    CommitPoint point = upTo(lsn);
    point.record(partition, end, dependency);
    return point;
  }

  /** Forgets the outcome. */
  public void clear() {
    lsn = 0;
    partition = NO_RECORD;
  }

  /** Takes over the outcome of another point. */
  public void set(CommitPoint other) {
    lsn = other.lsn;
    partition = other.partition;
    end = other.end;
    dependency = other.dependency;
  }

  /** Returns a point that does not change with this one. */
  public CommitPoint copy() {
    CommitPoint copy = new CommitPoint();
    copy.set(this);
    return copy;
  }

  /** Sets the dense LSN. */
  public void lsn(long dense) {
    lsn = dense;
  }

  /** Sets where the record is. */
  void record(int partition, long end, long dependency) {
    this.partition = partition;
    this.end = end;
    this.dependency = dependency;
  }

  /**
   * Returns the dense LSN; of a transaction that wrote nothing, that of the newest commit that it
   * has read from, 0 for none.
   */
  public long lsn() {
    return lsn;
  }

  /** Returns whether the commit has left a record. */
  public boolean hasRecord() {
    return partition != NO_RECORD;
  }

  /** Returns the partition that holds the record. */
  public int partition() {
    return partition;
  }

  /** Returns where the record ends: a partition that is forced up to here holds it. */
  public long end() {
    return end;
  }

  /** Returns the dense LSN that must be stable for the record to count; 0 for none. */
  public long dependency() {
    return dependency;
  }
}

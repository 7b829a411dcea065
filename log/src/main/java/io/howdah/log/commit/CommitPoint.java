package io.howdah.log.commit;

/**
 * The outcome of a commit, for code that waits until the commit survives a crash: its LSN and, if
 * it has a redo record, the position of the record and its dependency. It is not a moment in a
 * commit. {@link Lane#append} sets the record, {@code Committer} the LSN. Without a commit, the LSN
 * is the newest one that the transaction has read. An attempt reuses one object; a waiter, such as
 * a receipt, has a copy. Not thread-safe while it changes.
 */
public final class CommitPoint {

  private static final int NO_RECORD = -1;

  private long lsn;
  private int partition = NO_RECORD;
  private long end;
  private long dependency;

  /** Returns a point for all commits up to an LSN, without a record. */
  public static CommitPoint upTo(long lsn) {
    CommitPoint point = new CommitPoint();
    point.lsn = lsn;
    return point;
  }

  /** Returns a point for a commit with a record; see the accessors. */
  public static CommitPoint of(long lsn, int partition, long end, long dependency) {
    CommitPoint point = upTo(lsn);
    point.record(partition, end, dependency);
    return point;
  }

  /** Clears the outcome. */
  public void clear() {
    lsn = 0;
    partition = NO_RECORD;
  }

  /** Copies the outcome of another point into this one. */
  public void set(CommitPoint other) {
    lsn = other.lsn;
    partition = other.partition;
    end = other.end;
    dependency = other.dependency;
  }

  /** Returns a copy. */
  public CommitPoint copy() {
    CommitPoint copy = new CommitPoint();
    copy.set(this);
    return copy;
  }

  /** Sets the dense LSN. */
  public void lsn(long dense) {
    lsn = dense;
  }

  /** Sets the position of the record. */
  void record(int partition, long end, long dependency) {
    this.partition = partition;
    this.end = end;
    this.dependency = dependency;
  }

  /**
   * Returns the dense LSN. For a transaction that wrote nothing or did not commit, this is the LSN
   * of the newest commit that it has read, or 0.
   */
  public long lsn() {
    return lsn;
  }

  /** Returns whether the commit has a record. */
  public boolean hasRecord() {
    return partition != NO_RECORD;
  }

  /** Returns the partition of the record. */
  public int partition() {
    return partition;
  }

  /**
   * Returns the end of the record. If the partition is forced up to here, the record is durable.
   */
  public long end() {
    return end;
  }

  /** Returns the dense LSN that must be stable so that recovery replays the record; 0 for none. */
  public long dependency() {
    return dependency;
  }
}

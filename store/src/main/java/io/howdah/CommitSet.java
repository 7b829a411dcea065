package io.howdah;

import io.howdah.txn.stm.Attempt;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Commits that are waited for together: of each partition the newest one. For one thread. */
final class CommitSet {

  /** Where the newest record of each partition ends; 0 for none. */
  private final long[] ends;

  private long newestLsn;
  private long newestRead;
  private long newestDependency;

  CommitSet(int partitions) {
    this.ends = new long[partitions];
  }

  /** Notes what a transaction has left, or read. Allocates nothing: it has committed. */
  void add(Attempt attempt) {
    newestLsn = Math.max(newestLsn, attempt.lsn());
    int partition = attempt.recordPartition();
    if (partition == Attempt.NO_RECORD) {
      newestRead = Math.max(newestRead, attempt.lsn());
    } else {
      ends[partition] = Math.max(ends[partition], attempt.recordEnd());
      newestDependency = Math.max(newestDependency, attempt.recordDependency());
    }
  }

  /** Returns the LSN of the newest commit, which covers all of them. */
  long newestLsn() {
    return newestLsn;
  }

  /** Returns the newest LSN that a transaction without a record rests on, 0 for none. */
  long newestRead() {
    return newestRead;
  }

  int partitions() {
    return ends.length;
  }

  /** Returns what covers all commits of a partition and what they depend on, or null if none. */
  @Nullable CommitPoint newestOf(int partition) {
    return ends[partition] == 0
        ? null
        : new CommitPoint(newestLsn, partition, ends[partition], newestDependency);
  }

  /** Forgets the commits: all are durable. */
  void forget() {
    Arrays.fill(ends, 0);
    newestRead = 0;
  }
}

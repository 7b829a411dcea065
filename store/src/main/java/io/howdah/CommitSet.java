package io.howdah;

import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
  void add(CommitPoint point) {
    newestLsn = Math.max(newestLsn, point.lsn());
    if (point.hasRecord()) {
      int partition = point.partition();
      ends[partition] = Math.max(ends[partition], point.end());
      newestDependency = Math.max(newestDependency, point.dependency());
    } else {
      newestRead = Math.max(newestRead, point.lsn());
    }
  }

  /** Returns the LSN of the newest commit, which covers all of them. */
  long newestLsn() {
    return newestLsn;
  }

  /** Returns points that cover all commits, and what they have read, in a mode. */
  List<CommitPoint> points(Durability mode) {
    if (mode != Durability.PARTITION) {
      return List.of(CommitPoint.upTo(newestLsn));
    }
    List<CommitPoint> points = new ArrayList<>(ends.length + 1);
    points.add(CommitPoint.upTo(newestRead));
    for (int partition = 0; partition < ends.length; partition++) {
      if (ends[partition] != 0) {
        points.add(CommitPoint.of(newestLsn, partition, ends[partition], newestDependency));
      }
    }
    return points;
  }

  /** Forgets the commits: all are durable. */
  void forget() {
    Arrays.fill(ends, 0);
    newestRead = 0;
  }
}

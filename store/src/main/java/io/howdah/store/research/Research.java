package io.howdah.store.research;

import io.howdah.txn.Durability;
import io.howdah.txn.PartitionCommits;
import java.util.Objects;

/**
 * Switches that make a store work as others do, to compare with: Howdah's own benchmarks, crash
 * tests and studies set them. No program should, since each of them makes a store slower or less
 * safe. Not part of the API.
 *
 * @param checkpoints how checkpoints are taken
 * @param partitionCommits what commits in {@link Durability#PARTITION} promise. It is the whole
 *     store's, for as long as it is open: a checked commit could not rely on what an unchecked one
 *     has read
 * @param hasOwnLogs whether each partition's log is forced by itself and not with the others, as
 *     Hathi's was when it was published (DaMoN 2012): after the group commit interval, or half a
 *     ring, or when a thread waits. Where the paper's logs lie in files of their own, these take
 *     turns in one
 */
public record Research(
    CheckpointScheme checkpoints, PartitionCommits partitionCommits, boolean hasOwnLogs) {

  private static final Research NONE =
      new Research(CheckpointScheme.DUAL, PartitionCommits.CHECKED, false);

  /** Checks that all is there. */
  public Research {
    Objects.requireNonNull(checkpoints, "checkpoints");
    Objects.requireNonNull(partitionCommits, "partitionCommits");
  }

  /** Returns the switches as every program has them. */
  public static Research none() {
    return NONE;
  }

  /** Returns these switches with another way to take checkpoints. */
  public Research withCheckpoints(CheckpointScheme scheme) {
    return new Research(scheme, partitionCommits, hasOwnLogs);
  }

  /** Returns these switches with another promise of partition commits. */
  public Research withPartitionCommits(PartitionCommits commits) {
    return new Research(checkpoints, commits, hasOwnLogs);
  }

  /**
   * Returns the switches of a store that commits as Hathi did when it was published: each log
   * forced by itself; stable is what all logs hold; partition commits are unchecked; checkpoints
   * read all pages by transactions.
   */
  public static Research asPublished() {
    return new Research(CheckpointScheme.TRANSACTIONAL, PartitionCommits.UNCHECKED, true);
  }
}

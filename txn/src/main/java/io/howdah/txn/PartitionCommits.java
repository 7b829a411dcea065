package io.howdah.txn;

/** What a store does about the dependencies of commits in {@link Durability#PARTITION}. */
public enum PartitionCommits {

  /**
   * Dependencies are known and waited for: a commit that has read or overwritten what another
   * partition may still lose returns when that is durable, too. Always safe.
   */
  CHECKED,

  /**
   * Dependencies are the program's business, as in Hathi: a commit returns when its own partition
   * is forced, and recovery replays it even if what it has read is lost. Transactions that are not
   * independent leave a state that no execution has ever had. For comparison.
   */
  UNCHECKED,

  /**
   * Like {@link #UNCHECKED}, but a commit that may depend on another partition's commits, of those
   * that are not durable yet, throws {@link DependentCommitException}: to find out whether a
   * program keeps its part. Ownership records stand for stripes of 32 bytes and are shared by hash,
   * so neighbours count as dependencies, too.
   */
  UNCHECKED_REFUSING
}

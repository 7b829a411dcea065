package io.howdah.txn;

import io.howdah.core.HowdahException;

/**
 * A commit in {@link Durability#PARTITION} depends on commits of other partitions that are not
 * durable yet, in a store that leaves independence to the program and checks it ({@link
 * PartitionCommits#UNCHECKED_REFUSING}). Nothing of the transaction happened.
 */
public final class DependentCommitException extends HowdahException {

  private static final long serialVersionUID = 1L;

  public DependentCommitException(long dependency) {
    super(
        "the transaction read or overwrote what commits up to LSN "
            + dependency
            + " of other log partitions have written, and these are not durable yet: commit it in"
            + " SYNC, or open the store with PartitionCommits.CHECKED");
  }
}

package io.howdah.txn.words;

/**
 * Counts what an attempt does to collections, objects and blocks. Not thread-safe.
 *
 * <p>An operation that writes more than one word calls {@link #begin} before the first write and
 * {@link #end} after the last. An exception in between leaves the operation open. There is no
 * {@code finally}, since after a StackOverflowError there may be too little stack to run it. An
 * attempt with an open operation does not commit. No user code runs while an operation is open.
 */
public final class Operations {

  private int open;
  private long changes;
  private long rollBacks;

  /** Number of entries that the attempt has added to hash tables. */
  public int inserted;

  /** Number of persistent objects created, those of attempts that did not commit included. */
  public long objects;

  /** Resets the counts at the beginning of an attempt. */
  public void start() {
    open = 0;
    inserted = 0;
  }

  /** Begins an operation that writes several words. */
  public void begin() {
    open++;
    changes++;
  }

  /** Ends the operation after its last write. */
  public void end() {
    open--;
  }

  /** Returns the number of operations that have begun and not ended. */
  public int open() {
    return open;
  }

  /**
   * Completes a roll-back to a savepoint, which undoes the operations that began after it. The
   * roll-back itself began as an operation, so it counts as a change.
   *
   * @param openThen number of open operations at the savepoint
   */
  public void rolledBack(int openThen) {
    open = openThen;
    rollBacks++;
  }

  /**
   * Returns the number of changes, roll-backs included. If it has increased since an iterator read
   * its current entry, the iterator reads the entry again.
   */
  public long changes() {
    return changes;
  }

  /** Returns the number of roll-backs. */
  public long rollBacks() {
    return rollBacks;
  }
}

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

  /** Number of persistent objects that were made, also by attempts that did not commit. */
  public long objects;

  /** A new attempt begins. */
  public void start() {
    open = 0;
    inserted = 0;
  }

  /** An operation that writes several words begins. */
  public void begin() {
    open++;
    changes++;
  }

  /** The operation has written all its words. */
  public void end() {
    open--;
  }

  /** Returns how many operations were begun and have not ended. */
  public int open() {
    return open;
  }

  /**
   * The attempt has rolled back to a savepoint: operations that began after it have not happened.
   * The roll-back has begun as an operation, and so counts as a change.
   *
   * @param openThen number of open operations at the savepoint
   */
  public void rolledBack(int openThen) {
    open = openThen;
    rollBacks++;
  }

  /**
   * Returns the number of changes, roll-backs included. When it differs, an iterator reads its
   * current entry again.
   */
  public long changes() {
    return changes;
  }

  /** Returns the number of roll-backs. */
  public long rollBacks() {
    return rollBacks;
  }
}

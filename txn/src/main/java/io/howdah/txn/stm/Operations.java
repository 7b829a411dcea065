package io.howdah.txn.stm;

/**
 * Counts what an attempt does to collections, objects and blocks. Not thread-safe.
 *
 * <p>An operation that writes more than one word calls {@link #begin} before the first write and
 * {@link #end} after the last. Whatever is thrown in between leaves the operation open, also a
 * StackOverflowError, after which there may be no room to run a handler: so there is no {@code
 * finally}. An attempt with an open operation does not commit. The user's code never runs while an
 * operation is open.
 */
public final class Operations {

  private int open;
  private long changes;
  private long rollBacks;

  /** Entries that the attempt has added to hash tables. */
  public int inserted;

  /** Persistent objects that the context has made, attempts included. */
  public long objects;

  /** A new attempt begins. */
  void start() {
    open = 0;
    inserted = 0;
  }

  /** An operation that writes several words begins. */
  public void begin() {
    open++;
    changes++;
  }

  /** The operation has written all of them. */
  public void end() {
    open--;
  }

  /** Returns how many operations were begun and have not ended. */
  int open() {
    return open;
  }

  /**
   * The writes since a savepoint were taken back: operations that had begun since have not
   * happened.
   *
   * @param openThen how many were open at the savepoint
   */
  void rolledBack(int openThen) {
    open = openThen;
    changes++;
    rollBacks++;
  }

  /**
   * Counts changes, roll-backs included: iterators read again what they stand on when it differs.
   */
  public long changes() {
    return changes;
  }

  /** Counts roll-backs. */
  public long rollBacks() {
    return rollBacks;
  }
}

package io.howdah.log.commit;

/**
 * The written words of a transaction, for a redo record: single words in the order of their first
 * writes, and rows of consecutive words. Used by one thread at a time.
 */
public interface RecordSource {

  /** Returns the number of single words. */
  int singles();

  /** Returns the address of a single word. */
  long address(int single);

  /** Returns the value of a single word. */
  long value(int single);

  /** Returns the number of rows. */
  int rowCount();

  /**
   * Returns the rows as entries of a record: for each row a head, then the values. The entries end
   * at {@link #rowEntriesEnd}.
   */
  long[] rowEntries();

  /** Returns the number of words in {@link #rowEntries}: the heads and the values of all rows. */
  int rowEntriesEnd();
}

package io.howdah.log.commit;

/**
 * Rows of consecutive words, in the format of the entries of a redo record. Used by one thread at a
 * time.
 */
public interface RecordRows {

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

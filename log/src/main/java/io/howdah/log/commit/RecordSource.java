package io.howdah.log.commit;

/**
 * The written words of a transaction, for a redo record: single words in the order of their first
 * writes, and rows of consecutive words. Used by one thread at a time.
 */
public interface RecordSource extends RecordRows {

  /** Returns the number of single words. */
  int singles();

  /** Returns the address of a single word. */
  long address(int single);

  /** Returns the value of a single word. */
  long value(int single);
}

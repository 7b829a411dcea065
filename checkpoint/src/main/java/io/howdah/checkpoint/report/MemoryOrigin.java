package io.howdah.checkpoint.report;

/** Where the memory of a store came from at an opening. */
public sealed interface MemoryOrigin {

  /**
   * The memory is of this process alone, and ends with it.
   *
   * @param reason why it is not shared, if that was asked for; otherwise empty
   */
  record Unshared(String reason) implements MemoryOrigin {}

  /**
   * The memory will outlive this process. It was filled from the image and the log.
   *
   * @param reason why no memory of the process before could be used
   */
  record Loaded(String reason) implements MemoryOrigin {}

  /**
   * The memory of the process before was used as it was.
   *
   * @param redoneRecords number of records of commits that were under way, whose words were stored
   *     again
   * @param skippedLogBytes bytes of the log that were not read, since the memory has its words
   */
  record Attached(long redoneRecords, long skippedLogBytes) implements MemoryOrigin {}
}

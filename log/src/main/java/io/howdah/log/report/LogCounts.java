package io.howdah.log.report;

/**
 * Counts of what a recovery has read and replayed.
 *
 * @param segments number of segments read
 * @param batches number of batches in these segments
 * @param records number of records replayed, from batches and rings, without parts
 * @param words number of words replayed
 * @param scannedBytes bytes of the log that were read and verified
 */
public record LogCounts(long segments, long batches, long records, long words, long scannedBytes) {

  /** Nothing was read. */
  public static final LogCounts NONE = new LogCounts(0, 0, 0, 0, 0);
}

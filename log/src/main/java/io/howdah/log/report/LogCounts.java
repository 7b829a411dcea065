package io.howdah.log.report;

/**
 * How much a recovery read and replayed.
 *
 * @param segments read
 * @param batches in them
 * @param records replayed, those of rings included, parts not counted
 * @param words replayed
 * @param scannedBytes of log read and checked
 */
public record LogCounts(long segments, long batches, long records, long words, long scannedBytes) {

  /** Nothing was read. */
  public static final LogCounts NONE = new LogCounts(0, 0, 0, 0, 0);
}

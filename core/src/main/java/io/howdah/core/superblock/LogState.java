package io.howdah.core.superblock;

/**
 * What the superblock knows of the log's files.
 *
 * @param oldestSegment smallest segment sequence that recovery needs, from 1
 * @param firstSegment sequence of the current generation's first segment, from 1
 * @param oldestBatch sequence of the first batch in the oldest segment, from 1; it is durable if it
 *     is not 1: then the log before it was trimmed
 */
public record LogState(long oldestSegment, long firstSegment, long oldestBatch) {

  /** Refuses values out of bounds. */
  public LogState {
    Bounds.requireCounter("oldestSegment", oldestSegment, 1);
    Bounds.requireCounter("firstSegment", firstSegment, 1);
    Bounds.requireCounter("oldestBatch", oldestBatch, 1);
  }
}

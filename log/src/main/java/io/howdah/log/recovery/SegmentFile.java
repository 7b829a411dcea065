package io.howdah.log.recovery;

/**
 * A segment that recovery reads.
 *
 * @param name relative to the store
 * @param endBytes maximum end of its batches: its length, or that of the file if that is shorter
 * @param truncated whether the file is shorter than its header says
 */
record SegmentFile(String name, long sequence, long generation, int endBytes, boolean truncated) {}

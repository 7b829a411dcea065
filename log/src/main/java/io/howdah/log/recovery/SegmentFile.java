package io.howdah.log.recovery;

/**
 * A segment that recovery has to read.
 *
 * @param name relative to the store
 * @param endBytes where its batches end at the latest: its length, or the file's if that is shorter
 * @param truncated whether the file is shorter than its header says
 */
record SegmentFile(String name, long sequence, long generation, int endBytes, boolean truncated) {}

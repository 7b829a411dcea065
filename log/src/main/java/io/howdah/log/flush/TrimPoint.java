package io.howdah.log.flush;

/**
 * The start of a trimmed log: a segment and its first batch. The batch is durable unless it is the
 * first of the generation.
 *
 * @param segment sequence of the segment
 * @param batch sequence of the segment's first batch
 */
public record TrimPoint(long segment, long batch) {}

package io.howdah.log.flush;

/**
 * Where a trimmed log starts: a segment and the first batch in it, which is durable unless it is
 * the generation's first.
 *
 * @param segment its sequence
 * @param batch sequence of its first batch
 */
public record TrimPoint(long segment, long batch) {}

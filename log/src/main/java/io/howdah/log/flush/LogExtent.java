package io.howdah.log.flush;

/**
 * The durable part of a segment, which may be copied while the log is in use.
 *
 * @param name name of the segment's file, relative to the store
 * @param lengthBytes length of the file
 * @param endBytes end of the durable batches
 */
public record LogExtent(String name, int lengthBytes, int endBytes) {}

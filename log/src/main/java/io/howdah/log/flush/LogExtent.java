package io.howdah.log.flush;

/**
 * A segment, as far as it may be copied while the log goes on.
 *
 * @param name of its file, relative to the store
 * @param lengthBytes of the file
 * @param endBytes where what is durable ends
 */
public record LogExtent(String name, int lengthBytes, int endBytes) {}

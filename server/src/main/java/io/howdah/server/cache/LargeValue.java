package io.howdah.server.cache;

/**
 * Names a value that is too large to be in memory as a whole. Two items with the same one have the
 * same bytes. A cache hands it out; to others it means nothing.
 *
 * @param id that no other value of the cache ever had
 * @param length in bytes
 */
public record LargeValue(long id, int length) {}

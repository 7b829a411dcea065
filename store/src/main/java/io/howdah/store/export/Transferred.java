package io.howdah.store.export;

/**
 * What an export holds, or an import has copied.
 *
 * @param structures how many; indexes and change journals count
 * @param items entries, elements, and parts of blobs
 * @param bytes length of the file
 */
public record Transferred(long structures, long items, long bytes) {}

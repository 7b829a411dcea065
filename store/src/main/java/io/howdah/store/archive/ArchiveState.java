package io.howdah.store.archive;

import org.jspecify.annotations.Nullable;

/**
 * How far an archive is. Times are milliseconds since 1970.
 *
 * @param lsn every commit up to it is durable in the archive; 0 before the first force
 * @param millis the time of that moment
 * @param restorable whether a base is complete, so that the archive can be restored as of that LSN
 * @param runs runs that were begun since the opening; more than one if the archive has lost track
 * @param bases bases that were completed since the opening
 * @param writtenBytes bytes that were written since the opening
 * @param failures attempts that failed in a row
 * @param problem of the last of these, or null
 */
public record ArchiveState(
    long lsn,
    long millis,
    boolean restorable,
    long runs,
    long bases,
    long writtenBytes,
    long failures,
    @Nullable String problem) {

  static final ArchiveState NONE = new ArchiveState(0, 0, false, 0, 0, 0, 0, null);
}

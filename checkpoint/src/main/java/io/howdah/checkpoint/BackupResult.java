package io.howdah.checkpoint;

/**
 * The result of a backup.
 *
 * @param lsn dense LSN; every commit up to it is in the backup, and later commits may be
 * @param fromLsn dense LSN; the backup can be restored as of any LSN from this one on
 * @param bytes number of bytes written
 * @param nanos duration in nanoseconds
 */
public record BackupResult(long lsn, long fromLsn, long bytes, long nanos) {}

package io.howdah.checkpoint;

/**
 * What a backup holds.
 *
 * @param lsn dense LSN: every commit up to it is in the backup, some later ones may be
 * @param fromLsn dense LSN: the backup can be restored as of any from this one on
 * @param bytes written
 * @param nanos how long it took
 */
public record BackupResult(long lsn, long fromLsn, long bytes, long nanos) {}

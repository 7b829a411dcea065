package io.howdah.txn;

import java.time.Duration;

/**
 * What a backup holds.
 *
 * @param lsn every commit up to it is in the backup, some later ones may be
 * @param fromLsn the backup can be restored as of any LSN from this one on
 * @param writtenBytes of it
 * @param took how long it took
 */
public record BackupReport(long lsn, long fromLsn, long writtenBytes, Duration took) {}

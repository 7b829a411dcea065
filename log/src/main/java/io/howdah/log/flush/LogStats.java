package io.howdah.log.flush;

/**
 * What the log has done since it was opened.
 *
 * @param batches batches written, one force each
 * @param writtenBytes bytes of batches, padding included
 * @param recordBytes bytes of redo records in them
 * @param rounds times the flusher looked for work
 * @param forceNanos smoothed time of one write and force
 * @param segments segments used
 */
public record LogStats(
    long batches,
    long writtenBytes,
    long recordBytes,
    long rounds,
    long forceNanos,
    long segments) {}

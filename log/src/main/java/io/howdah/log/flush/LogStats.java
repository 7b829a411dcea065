package io.howdah.log.flush;

/**
 * Statistics of the log since it was opened.
 *
 * @param batches batches written, each with one force
 * @param writtenBytes bytes of batches, padding included
 * @param recordBytes bytes of redo records in them
 * @param rounds rounds of the flusher
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

package io.howdah.log.flush;

/**
 * Identifies a batch of a generation and all batches before it, since each batch contains the
 * checksum of its predecessor.
 *
 * @param sequence the batch's sequence, from 1
 * @param crc the batch's checksum
 */
public record BatchId(long sequence, int crc) {}

package io.howdah.log.flush;

/**
 * Names one batch of a generation, and with it all before it: each batch carries the checksum of
 * its predecessor.
 *
 * @param sequence its sequence, from 1 on
 * @param crc its checksum
 */
public record BatchId(long sequence, int crc) {}

package io.howdah.core.layout;

import java.nio.ByteBuffer;

/**
 * The header of a batch to be written ({@link BatchLayout}).
 *
 * @param length of the batch in bytes, header included, padding excluded
 * @param cut dense LSN up to which every one is in this batch or an earlier one
 * @param stable dense LSN that was stable when the batch was built
 * @param maxLsn no record inside has a larger dense LSN
 * @param previousCrc checksum of the batch before
 */
public record BatchHeader(
    long storeTag,
    long generation,
    long sequence,
    int length,
    int sectionCount,
    long cut,
    long stable,
    long maxLsn,
    int previousCrc) {

  /**
   * Completes a batch that starts at a buffer's index 0 and whose sections are in place; returns
   * its checksum.
   */
  public int write(ByteBuffer batch) {
    batch
        .putLong(BatchLayout.MAGIC_OFFSET, BatchLayout.MAGIC)
        .putLong(BatchLayout.STORE_TAG_OFFSET, storeTag)
        .putLong(BatchLayout.GENERATION_OFFSET, generation)
        .putLong(BatchLayout.SEQUENCE_OFFSET, sequence)
        .putInt(BatchLayout.LENGTH_OFFSET, length)
        .putInt(BatchLayout.SECTION_COUNT_OFFSET, sectionCount)
        .putLong(BatchLayout.CUT_OFFSET, cut)
        .putLong(BatchLayout.STABLE_OFFSET, stable)
        .putLong(BatchLayout.MAX_LSN_OFFSET, maxLsn)
        .putInt(BatchLayout.PREVIOUS_CRC_OFFSET, previousCrc)
        .putLong(BatchLayout.RESERVED_OFFSET, 0);
    int crc = Crc32c.around(batch, 0, BatchLayout.CRC_OFFSET, length);
    batch.putInt(BatchLayout.CRC_OFFSET, crc);
    return crc;
  }
}

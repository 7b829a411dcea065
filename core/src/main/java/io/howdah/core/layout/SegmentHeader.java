package io.howdah.core.layout;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A segment's first page, as far as it differs between segments ({@link SegmentLayout}).
 *
 * @param set index of the log's file set, 0
 * @param sequence of the segment in its set
 * @param generation of the batches inside
 * @param lengthBytes of the file, this page included
 */
public record SegmentHeader(
    int version,
    int set,
    long storeIdHigh,
    long storeIdLow,
    long sequence,
    long generation,
    long lengthBytes) {

  /** Returns the header in a page, or null if the page holds none that is whole. */
  public static @Nullable SegmentHeader read(ByteBuffer page) {
    if (page.limit() < SegmentLayout.HEADER_LENGTH
        || page.getLong(SegmentLayout.MAGIC_OFFSET) != SegmentLayout.MAGIC
        || page.getInt(SegmentLayout.CRC_OFFSET) != Crc32c.of(page, 0, SegmentLayout.CRC_OFFSET)
        || page.getInt(SegmentLayout.RESERVED_OFFSET) != 0) {
      return null;
    }
    return new SegmentHeader(
        page.getInt(SegmentLayout.VERSION_OFFSET),
        page.getInt(SegmentLayout.SET_OFFSET),
        page.getLong(SegmentLayout.STORE_ID_HIGH_OFFSET),
        page.getLong(SegmentLayout.STORE_ID_LOW_OFFSET),
        page.getLong(SegmentLayout.SEQUENCE_OFFSET),
        page.getLong(SegmentLayout.GENERATION_OFFSET),
        page.getLong(SegmentLayout.LENGTH_OFFSET));
  }

  /**
   * Writes this header at a little-endian buffer's index 0; what follows it in the page is zeros.
   */
  public void write(ByteBuffer page) {
    page.putLong(SegmentLayout.MAGIC_OFFSET, SegmentLayout.MAGIC)
        .putInt(SegmentLayout.VERSION_OFFSET, version)
        .putInt(SegmentLayout.SET_OFFSET, set)
        .putLong(SegmentLayout.STORE_ID_HIGH_OFFSET, storeIdHigh)
        .putLong(SegmentLayout.STORE_ID_LOW_OFFSET, storeIdLow)
        .putLong(SegmentLayout.SEQUENCE_OFFSET, sequence)
        .putLong(SegmentLayout.GENERATION_OFFSET, generation)
        .putLong(SegmentLayout.LENGTH_OFFSET, lengthBytes)
        .putInt(SegmentLayout.RESERVED_OFFSET, 0)
        .putInt(SegmentLayout.CRC_OFFSET, Crc32c.of(page, 0, SegmentLayout.CRC_OFFSET));
  }
}

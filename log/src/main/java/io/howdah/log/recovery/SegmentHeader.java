package io.howdah.log.recovery;

import io.howdah.core.layout.SegmentLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A segment's first page, as far as it differs between segments of one set. */
record SegmentHeader(
    int version,
    int set,
    long storeIdHigh,
    long storeIdLow,
    long sequence,
    long generation,
    long lengthBytes) {

  /** Returns the header in a page, or null if the page holds none that is whole. */
  static @Nullable SegmentHeader read(ByteBuffer page) {
    if (page.limit() < SegmentLayout.HEADER_LENGTH
        || page.getLong(SegmentLayout.MAGIC_OFFSET) != SegmentLayout.MAGIC
        || page.getInt(SegmentLayout.CRC_OFFSET) != crc(page)
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

  /** Fills a page of zeros with this header. */
  void write(ByteBuffer page) {
    page.order(ByteOrder.LITTLE_ENDIAN)
        .putLong(SegmentLayout.MAGIC_OFFSET, SegmentLayout.MAGIC)
        .putInt(SegmentLayout.VERSION_OFFSET, version)
        .putInt(SegmentLayout.SET_OFFSET, set)
        .putLong(SegmentLayout.STORE_ID_HIGH_OFFSET, storeIdHigh)
        .putLong(SegmentLayout.STORE_ID_LOW_OFFSET, storeIdLow)
        .putLong(SegmentLayout.SEQUENCE_OFFSET, sequence)
        .putLong(SegmentLayout.GENERATION_OFFSET, generation)
        .putLong(SegmentLayout.LENGTH_OFFSET, lengthBytes)
        .putInt(SegmentLayout.CRC_OFFSET, crc(page));
  }

  private static int crc(ByteBuffer page) {
    CRC32C crc = new CRC32C();
    crc.update(page.duplicate().position(0).limit(SegmentLayout.CRC_OFFSET));
    return (int) crc.getValue();
  }
}

package io.howdah.crashtest.fuzz;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.layout.SuperblockLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Makes the checksums of changed files right again, so that a fuzzer reaches what stands behind
 * them: those of superblock slots, segment headers and batches, and of the headers of rings,
 * journals and sums. What is not where it belongs stays as it is.
 */
final class Checksums {

  private Checksums() {}

  /**
   * Mends a file.
   *
   * @param bytes its content
   */
  static void mend(byte[] bytes) {
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < Long.BYTES) {
      return;
    }
    // By the first slot, page or header that still has its mark; a superblock may have lost one.
    for (int slot = 0; slot < SuperblockLayout.SLOTS; slot++) {
      int at = slot * SuperblockLayout.SLOT_LENGTH;
      if (bytes.length >= at + SuperblockLayout.SLOT_LENGTH
          && file.getLong(at) == SuperblockLayout.MAGIC) {
        ByteBuffer one =
            file.slice(at, SuperblockLayout.SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        one.putInt(
            SuperblockLayout.CRC_OFFSET,
            Crc32c.around(one, SuperblockLayout.CRC_OFFSET, SuperblockLayout.SLOT_LENGTH));
      }
    }
    long magic = file.getLong(0);
    if (magic == SegmentLayout.MAGIC) {
      front(file, SegmentLayout.CRC_OFFSET);
      batches(file);
    } else if (magic == RingLayout.MAGIC) {
      front(file, RingLayout.CRC_OFFSET);
    } else if (magic == JournalLayout.MAGIC) {
      around(file, JournalLayout.CRC_OFFSET, JournalLayout.HEADER_LENGTH);
    } else if (magic == ImageSumsLayout.MAGIC) {
      around(file, ImageSumsLayout.CRC_OFFSET, ImageSumsLayout.HEADER_LENGTH);
    }
  }

  private static void front(ByteBuffer file, int crcOffset) {
    if (file.capacity() >= crcOffset + Integer.BYTES) {
      file.putInt(crcOffset, Crc32c.of(file, 0, crcOffset));
    }
  }

  private static void around(ByteBuffer file, int crcOffset, int length) {
    if (file.capacity() >= length) {
      file.putInt(crcOffset, Crc32c.around(file, crcOffset, length));
    }
  }

  /** Each batch names the checksum of the one before. */
  private static void batches(ByteBuffer file) {
    int at = SegmentLayout.HEADER_LENGTH;
    int before = 0;
    boolean isFirst = true;
    while (at + BatchLayout.HEADER_LENGTH <= file.capacity()
        && file.getLong(at + BatchLayout.MAGIC_OFFSET) == BatchLayout.MAGIC) {
      int length = file.getInt(at + BatchLayout.LENGTH_OFFSET);
      if (length < BatchLayout.HEADER_LENGTH || length > file.capacity() - at) {
        return;
      }
      if (!isFirst) { // the first follows the last of another file
        file.putInt(at + BatchLayout.PREVIOUS_CRC_OFFSET, before);
      }
      isFirst = false;
      before = Crc32c.around(file, at, BatchLayout.CRC_OFFSET, length);
      file.putInt(at + BatchLayout.CRC_OFFSET, before);
      at += (length + BatchLayout.ALIGNMENT - 1) / BatchLayout.ALIGNMENT * BatchLayout.ALIGNMENT;
    }
  }
}

package io.howdah.log.recovery;

import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;

/**
 * The current batch of a {@link BatchReader}, and the checks of a batch header. The bytes belong to
 * the reader and are valid until it moves. Mutable, reused.
 */
final class Batch {

  ByteBuffer bytes = ByteBuffer.allocate(0);
  int at;
  String file = "";
  int fileOffset;

  long sequence;
  int length;
  int sectionCount;
  long cut;
  long stableAtWrite;
  long maxLsn;
  int crc;

  static int padded(int length) {
    return (int) Alignment.up(length, BatchLayout.ALIGNMENT);
  }

  /** Returns whether the bytes start like a batch of this store and generation. */
  static boolean isBegun(ByteBuffer bytes, int at, long storeTag, long generation) {
    return bytes.getLong(at + BatchLayout.MAGIC_OFFSET) == BatchLayout.MAGIC
        && bytes.getLong(at + BatchLayout.STORE_TAG_OFFSET) == storeTag
        && bytes.getLong(at + BatchLayout.GENERATION_OFFSET) == generation;
  }

  /**
   * Returns whether the fields of a header have valid values.
   *
   * @param roomBytes number of bytes from its start to the end of its segment
   */
  static boolean isPlausible(ByteBuffer bytes, int at, int partitions, long roomBytes) {
    int length = length(bytes, at);
    int sections = bytes.getInt(at + BatchLayout.SECTION_COUNT_OFFSET);
    long bound = bytes.getLong(at + BatchLayout.MAX_LSN_OFFSET);
    return length >= BatchLayout.HEADER_LENGTH
        && length <= BatchLayout.MAX_LENGTH
        && length <= roomBytes
        && sections >= 0
        && sections <= partitions
        && isUpTo(bytes.getLong(at + BatchLayout.CUT_OFFSET), bound)
        && isUpTo(bytes.getLong(at + BatchLayout.STABLE_OFFSET), bound)
        && bound <= Lsn.MAX
        && bytes.getLong(at + BatchLayout.RESERVED_OFFSET) == 0;
  }

  private static boolean isUpTo(long lsn, long bound) {
    return lsn >= 0 && lsn <= bound;
  }

  static long sequence(ByteBuffer bytes, int at) {
    return bytes.getLong(at + BatchLayout.SEQUENCE_OFFSET);
  }

  /** Returns the length in a header, unchecked. */
  static int length(ByteBuffer bytes, int at) {
    return bytes.getInt(at + BatchLayout.LENGTH_OFFSET);
  }

  static int previousCrc(ByteBuffer bytes, int at) {
    return bytes.getInt(at + BatchLayout.PREVIOUS_CRC_OFFSET);
  }

  /** Returns the checksum in a header. */
  static int checksum(ByteBuffer bytes, int at) {
    return bytes.getInt(at + BatchLayout.CRC_OFFSET);
  }

  /** Makes a batch the current one. Its length must be valid. */
  void set(ByteBuffer source, int sourceAt) {
    bytes = source;
    at = sourceAt;
    sequence = sequence(source, sourceAt);
    length = length(source, sourceAt);
    sectionCount = source.getInt(sourceAt + BatchLayout.SECTION_COUNT_OFFSET);
    cut = source.getLong(sourceAt + BatchLayout.CUT_OFFSET);
    stableAtWrite = source.getLong(sourceAt + BatchLayout.STABLE_OFFSET);
    maxLsn = source.getLong(sourceAt + BatchLayout.MAX_LSN_OFFSET);
    crc = checksum(source, sourceAt);
  }

  /** Returns whether a batch of a valid length has the checksum that its header contains. */
  static boolean hasValidChecksum(ByteBuffer source, int sourceAt, int checkedLength) {
    return checksum(source, sourceAt)
        == Crc32c.around(source, sourceAt, BatchLayout.CRC_OFFSET, checkedLength);
  }

  /** Returns the offset of a byte of this batch in its file, for messages. */
  long offsetInFile(int position) {
    return fileOffset + (long) (position - at);
  }
}

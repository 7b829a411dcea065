package io.howdah.core.layout;

/**
 * The first page of a log segment; batches follow it. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDSEGMT"
 *    8 | formatVersion| set          |  set: index of the file set, 0
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | segmentSequence             |  from 1 in each set, ascending; one of an unused segment may be given twice
 *   40 | generation                  |  of every batch inside
 *   48 | length                      |  bytes of the file, this page included
 *   56 | reserved = 0 | crc          |  crc32c over bytes [0, 60)
 *   64 | zeros to 4096
 * </pre>
 *
 * A segment is written with zeros and forced before it is first used, so that later forces change
 * no metadata; a recycled one gets a new first page, forced, and still holds batches of an earlier
 * lap, which generation, sequence and chain tell from new ones.
 */
public final class SegmentLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the set's index. */
  public static final int SET_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = SET_OFFSET + Integer.BYTES;

  /** Offset of the store id's low half. */
  public static final int STORE_ID_LOW_OFFSET = STORE_ID_HIGH_OFFSET + Long.BYTES;

  /** Offset of the segment's sequence. */
  public static final int SEQUENCE_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the generation. */
  public static final int GENERATION_OFFSET = SEQUENCE_OFFSET + Long.BYTES;

  /** Offset of the file's length. */
  public static final int LENGTH_OFFSET = GENERATION_OFFSET + Long.BYTES;

  /** Offset of four reserved bytes. */
  public static final int RESERVED_OFFSET = LENGTH_OFFSET + Long.BYTES;

  /** Offset of the checksum. */
  public static final int CRC_OFFSET = RESERVED_OFFSET + Integer.BYTES;

  /** Where batches start. */
  public static final int HEADER_LENGTH = 4096;

  /** Shortest segment. */
  public static final int MIN_LENGTH = 1 << 16;

  /** Longest segment. */
  public static final int MAX_LENGTH = 64 << 20;

  /** "HWDSEGMT" read as a little-endian word. */
  public static final long MAGIC = 0x544D_4745_5344_5748L;

  /** Current version of the log's formats: segment, batch and redo record. */
  public static final int VERSION = 1;

  private SegmentLayout() {}
}

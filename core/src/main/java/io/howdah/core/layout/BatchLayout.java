package io.howdah.core.layout;

/**
 * One batch: what a single write to the log carries, the redo records that all partitions of the
 * set published since the batch before. Little-endian; starts on a 4096-byte boundary and is padded
 * with zeros to the next.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDBATCH"
 *    8 | storeTag                    |  storeId high xor low
 *   16 | generation                  |
 *   24 | batchSequence               |  from 1 in each generation of the set, without gaps
 *   32 | length       | sectionCount |  length: bytes, header included, padding excluded
 *   40 | cut                         |  every LSN up to it is in this batch or an earlier one (dense LSN)
 *   48 | stableAtWrite               |  stable LSN when the batch was built (dense LSN)
 *   56 | maxLsn                      |  no record inside has a larger dense LSN
 *   64 | previousCrc  | reserved = 0 |  crc of the batch before; of the first: {@link #firstPreviousCrc}
 *   72 | reserved = 0 | crc          |  crc32c over bytes [0, 76) and [80, length)
 *   80 | sections ...
 *
 *  section
 *    0 | partition    | length       |  length: bytes of records, multiple of 8, without these 16
 *    8 | fromPosition                |  position of the first record in its partition
 *   16 | records ...
 * </pre>
 *
 * A batch is written only after the one before was forced, so at most one batch of a set can be
 * torn: the last. A bad batch that a good one follows is damage, not a torn tail.
 */
public final class BatchLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the store's tag. */
  public static final int STORE_TAG_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the generation. */
  public static final int GENERATION_OFFSET = STORE_TAG_OFFSET + Long.BYTES;

  /** Offset of the batch sequence. */
  public static final int SEQUENCE_OFFSET = GENERATION_OFFSET + Long.BYTES;

  /** Offset of the length. */
  public static final int LENGTH_OFFSET = SEQUENCE_OFFSET + Long.BYTES;

  /** Offset of the section count. */
  public static final int SECTION_COUNT_OFFSET = LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the cut. */
  public static final int CUT_OFFSET = SECTION_COUNT_OFFSET + Integer.BYTES;

  /** Offset of the stable LSN at the time of writing. */
  public static final int STABLE_OFFSET = CUT_OFFSET + Long.BYTES;

  /** Offset of the bound on the LSNs inside. */
  public static final int MAX_LSN_OFFSET = STABLE_OFFSET + Long.BYTES;

  /** Offset of the previous batch's checksum. */
  public static final int PREVIOUS_CRC_OFFSET = MAX_LSN_OFFSET + Long.BYTES;

  /** Offset of eight reserved bytes. */
  public static final int RESERVED_OFFSET = PREVIOUS_CRC_OFFSET + Integer.BYTES;

  /** Offset of the checksum, the last field of the header. */
  public static final int CRC_OFFSET = RESERVED_OFFSET + 2 * Integer.BYTES;

  /** Length of the header; sections start here. */
  public static final int HEADER_LENGTH = CRC_OFFSET + Integer.BYTES;

  /** Offset, in a section, of the partition. */
  public static final int SECTION_PARTITION_OFFSET = 0;

  /** Offset, in a section, of the length of its records. */
  public static final int SECTION_LENGTH_OFFSET = SECTION_PARTITION_OFFSET + Integer.BYTES;

  /** Offset, in a section, of the position of its first record. */
  public static final int SECTION_POSITION_OFFSET = SECTION_LENGTH_OFFSET + Integer.BYTES;

  /** Length of a section's header; records start here. */
  public static final int SECTION_HEADER_LENGTH = SECTION_POSITION_OFFSET + Long.BYTES;

  /** Boundary that batches start on and are padded to: one page, at least any device's sector. */
  public static final int ALIGNMENT = 4096;

  /** Longest batch in bytes, padding included; readers refuse a longer one before allocating. */
  public static final int MAX_LENGTH = 8 << 20;

  /** "HWDBATCH" read as a little-endian word. */
  public static final long MAGIC = 0x4843_5441_4244_5748L;

  private BatchLayout() {}

  /** Returns the tag that ties batches to their store. */
  public static long storeTag(long storeIdHigh, long storeIdLow) {
    return storeIdHigh ^ storeIdLow;
  }

  /** Returns what the first batch of a generation carries as the checksum of its predecessor. */
  public static int firstPreviousCrc(long storeTag, long generation) {
    return Long.hashCode(RedoRecordLayout.mix(storeTag, generation));
  }
}

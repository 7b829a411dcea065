package io.howdah.core.layout;

/**
 * A summary of the log: where an opening may begin to read it, which pages of the region the part
 * before that point touches, and the region's header as of that point. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDLGSUM"
 *    8 | formatVersion| page         |  page: bytes in a page of the region
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | generation                  |  of the segment
 *   40 | segment                     |  sequence of the first segment to read
 *   48 | batch                       |  sequence of its first batch
 *   56 | replayAboveLsn              |  what lies above it is in that segment or behind it (dense LSN)
 *   64 | imageLsn                    |  no effect of a larger LSN is in the header (dense LSN)
 *   72 | mapWords                    |  length of the map, in words
 *   80 | lastBatch                   |  sequence of the last batch that was durable
 *   88 | sinceLsn                    |  the map has what the log above it touches (dense LSN)
 *   96 | lastBatchCrc | crc          |  the batch's crc; crc32c over bytes [0, 100) and [104, length)
 *  104 | header                      |  the region's bytes [0, 8192)
 * 8296 | map                         |  a bit for each page from 0 on: whether the log touches it
 * </pre>
 *
 * The map has the pages that records above sinceLsn and up to replayAboveLsn touch; it may have
 * more. sinceLsn is that of the checkpoint that counted. Pages behind its end are untouched. All
 * LSNs up to imageLsn are in batches up to lastBatch, and the crc of that one binds the summary to
 * all batches before it.
 */
public final class LogSummaryLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the bytes in a page of the region. */
  public static final int PAGE_BYTES_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;

  /** Offset of the store id's low half. */
  public static final int STORE_ID_LOW_OFFSET = STORE_ID_HIGH_OFFSET + Long.BYTES;

  /** Offset of the generation. */
  public static final int GENERATION_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the segment's sequence. */
  public static final int SEGMENT_OFFSET = GENERATION_OFFSET + Long.BYTES;

  /** Offset of the batch's sequence. */
  public static final int BATCH_OFFSET = SEGMENT_OFFSET + Long.BYTES;

  /** Offset of the LSN to replay above. */
  public static final int REPLAY_ABOVE_OFFSET = BATCH_OFFSET + Long.BYTES;

  /** Offset of the largest LSN with an effect on the header. */
  public static final int IMAGE_LSN_OFFSET = REPLAY_ABOVE_OFFSET + Long.BYTES;

  /** Offset of the length of the map, in words. */
  public static final int MAP_WORDS_OFFSET = IMAGE_LSN_OFFSET + Long.BYTES;

  /** Offset of the sequence of the last batch that was durable. */
  public static final int LAST_BATCH_OFFSET = MAP_WORDS_OFFSET + Long.BYTES;

  /** Offset of the LSN above which the map has all pages. */
  public static final int SINCE_OFFSET = LAST_BATCH_OFFSET + Long.BYTES;

  /** Offset of the checksum of the last batch that was durable. */
  public static final int LAST_BATCH_CRC_OFFSET = SINCE_OFFSET + Long.BYTES;

  /** Offset of the checksum. */
  public static final int CRC_OFFSET = LAST_BATCH_CRC_OFFSET + Integer.BYTES;

  /** Offset of the region's header. */
  public static final int REGION_HEADER_OFFSET = CRC_OFFSET + Integer.BYTES;

  /** Length of the region's header. */
  public static final int REGION_HEADER_LENGTH = RegionHeaderLayout.BLOCKS_ADDRESS;

  /** Offset of the map of pages. */
  public static final int MAP_OFFSET = REGION_HEADER_OFFSET + REGION_HEADER_LENGTH;

  /** "HWDLGSUM" read as a little-endian word. */
  public static final long MAGIC = 0x4D55_5347_4C44_5748L;

  /** Current version of the format. */
  public static final int VERSION = 1;

  private LogSummaryLayout() {}

  /** Returns the length of a summary. */
  public static long length(long mapWords) {
    return MAP_OFFSET + mapWords * Long.BYTES;
  }
}

package io.howdah.core.layout;

/**
 * A checkpoint's journal: one page of header, then groups of whole pages of the region, each behind
 * a page that says which they are. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDJRNAL"
 *    8 | formatVersion| page         |  page: bytes in a page of the region
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | checkpoint                  |  sequence of the checkpoint
 *   40 | replayAboveLsn              |  dense LSN: the effects of all up to it are in image and journal
 *   48 | pageCount                   |  in all groups
 *   56 | imageEnd                    |  the image beyond it was never written, before or by this journal
 *   64 | reserved = 0 | crc          |  crc32c over bytes [0, 68) and [72, 4096)
 *   72 | zeros to 4096
 *
 *  group
 *    0 | magic                       |  "HWDJGRUP"
 *    8 | checkpoint                  |  as in the header
 *   16 | count        | crc          |  crc32c over bytes [0, 20) and [24, 4096)
 *   24 | entries, one for each page; zeros to 4096
 * 4096 | pages, then zeros to a multiple of 4096
 *
 *  entry
 *    0 | pageIndex                   |  ascending over the journal: address / page
 *    8 | crc          | reserved = 0 |  crc32c over the page's bytes
 * </pre>
 *
 * The superblock names the length of the whole and a checksum over the header page and the first
 * page of each group, in their order; so it vouches for every byte.
 */
public final class JournalLayout {

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

  /** Offset of the checkpoint's sequence. */
  public static final int CHECKPOINT_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the LSN to replay above. */
  public static final int REPLAY_ABOVE_OFFSET = CHECKPOINT_OFFSET + Long.BYTES;

  /** Offset of the count of pages. */
  public static final int PAGE_COUNT_OFFSET = REPLAY_ABOVE_OFFSET + Long.BYTES;

  /** Offset of the end of what the image holds. */
  public static final int IMAGE_END_OFFSET = PAGE_COUNT_OFFSET + Long.BYTES;

  /** Offset of four reserved bytes. */
  public static final int RESERVED_OFFSET = IMAGE_END_OFFSET + Long.BYTES;

  /** Offset of the header's checksum. */
  public static final int CRC_OFFSET = RESERVED_OFFSET + Integer.BYTES;

  /** Length of the header; groups start here. */
  public static final int HEADER_LENGTH = 4096;

  /** Offset, in a group, of its magic word. */
  public static final int GROUP_MAGIC_OFFSET = 0;

  /** Offset, in a group, of the checkpoint's sequence. */
  public static final int GROUP_CHECKPOINT_OFFSET = GROUP_MAGIC_OFFSET + Long.BYTES;

  /** Offset, in a group, of its count of pages. */
  public static final int GROUP_COUNT_OFFSET = GROUP_CHECKPOINT_OFFSET + Long.BYTES;

  /** Offset, in a group, of the checksum over its first page. */
  public static final int GROUP_CRC_OFFSET = GROUP_COUNT_OFFSET + Integer.BYTES;

  /** Offset, in a group, of its first entry. */
  public static final int GROUP_ENTRIES_OFFSET = GROUP_CRC_OFFSET + Integer.BYTES;

  /** Length of a group's first page; the region's pages follow. */
  public static final int GROUP_HEADER_LENGTH = 4096;

  /** Offset, in an entry, of the page's index. */
  public static final int ENTRY_INDEX_OFFSET = 0;

  /** Offset, in an entry, of the page's checksum. */
  public static final int ENTRY_CRC_OFFSET = ENTRY_INDEX_OFFSET + Long.BYTES;

  /** Offset, in an entry, of four reserved bytes. */
  public static final int ENTRY_RESERVED_OFFSET = ENTRY_CRC_OFFSET + Integer.BYTES;

  /** Length of an entry. */
  public static final int ENTRY_LENGTH = ENTRY_RESERVED_OFFSET + Integer.BYTES;

  /** Headers and groups start, and groups end, at multiples of this. */
  public static final int ALIGNMENT = 4096;

  /** "HWDJRNAL" read as a little-endian word. */
  public static final long MAGIC = 0x4C41_4E52_4A44_5748L;

  /** "HWDJGRUP" read as a little-endian word. */
  public static final long GROUP_MAGIC = 0x5055_5247_4A44_5748L;

  /** Current version of the journal's format. */
  public static final int VERSION = 1;

  private static final int MAX_GROUP_BYTES = 1 << 20;

  private JournalLayout() {}

  /**
   * Returns the most pages a group holds: what a bounded buffer and the first page have room for.
   */
  public static int pagesPerGroup(int pageBytes) {
    int entries = (GROUP_HEADER_LENGTH - GROUP_ENTRIES_OFFSET) / ENTRY_LENGTH;
    return Math.min(entries, MAX_GROUP_BYTES / pageBytes);
  }

  /** Returns the length of a group. */
  public static int groupLength(int count, int pageBytes) {
    return GROUP_HEADER_LENGTH + (int) Alignment.up((long) count * pageBytes, ALIGNMENT);
  }
}

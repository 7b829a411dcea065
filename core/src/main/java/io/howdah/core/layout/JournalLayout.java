package io.howdah.core.layout;

/**
 * A checkpoint's journal: one page of header, then groups of what pages of the region have become:
 * whole, or the lines of them that the image lacks. A page has 64 lines, or as many as it has
 * words. Little-endian.
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
 *   64 | witnessCount | crc          |  crc32c over bytes [0, 68) and [72, 4096)
 *   72 | witnesses                   |  8 of them: pages of this journal, or of one before
 *      | ...
 *  200 | zeros to 4096
 *
 *  witness
 *    0 | page                        |  address / bytes in a page
 *    8 | crc          | reserved = 0 |  crc32c of the page
 *
 *  group
 *    0 | magic                       |  "HWDJGRUP"
 *    8 | checkpoint                  |  as in the header
 *   16 | firstPage                   |  address / page of the first entry
 *   24 | count        | dataLength   |  entries; bytes of lines
 *   32 | reserved = 0 | crc          |  crc32c over bytes [0, 36) and [40, end of the entries)
 *   40 | lines of all entries, then the entries, then zeros to a multiple of 4096
 *
 *  entry
 *    0 | pageDelta    | crc          |  page - firstPage, ascending over the journal; crc32c of the page
 *    8 | lines                       |  a bit for each line that follows; the rest is as in the image
 * </pre>
 *
 * An entry's checksum is that of the whole page with the lines in place. The superblock names the
 * length of the whole and a checksum over the fixed part of each group and the header page, in this
 * order; so it vouches for every byte.
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

  /** Offset of the count of witnesses. */
  public static final int WITNESS_COUNT_OFFSET = IMAGE_END_OFFSET + Long.BYTES;

  /** Offset of the header's checksum. */
  public static final int CRC_OFFSET = WITNESS_COUNT_OFFSET + Integer.BYTES;

  /** Offset of the witnesses. */
  public static final int WITNESSES_OFFSET = CRC_OFFSET + Integer.BYTES;

  /** Most witnesses. */
  public static final int MAX_WITNESSES = 8;

  /** Offset, in a witness, of its page. */
  public static final int WITNESS_PAGE_OFFSET = 0;

  /** Offset, in a witness, of its page's checksum. */
  public static final int WITNESS_CRC_OFFSET = WITNESS_PAGE_OFFSET + Long.BYTES;

  /** Offset, in a witness, of four reserved bytes. */
  public static final int WITNESS_RESERVED_OFFSET = WITNESS_CRC_OFFSET + Integer.BYTES;

  /** Length of a witness. */
  public static final int WITNESS_LENGTH = WITNESS_RESERVED_OFFSET + Integer.BYTES;

  /** Length of the header; groups start here. */
  public static final int HEADER_LENGTH = 4096;

  /** Offset, in a group, of its magic word. */
  public static final int GROUP_MAGIC_OFFSET = 0;

  /** Offset, in a group, of the checkpoint's sequence. */
  public static final int GROUP_CHECKPOINT_OFFSET = GROUP_MAGIC_OFFSET + Long.BYTES;

  /** Offset, in a group, of the index of its first page. */
  public static final int GROUP_FIRST_PAGE_OFFSET = GROUP_CHECKPOINT_OFFSET + Long.BYTES;

  /** Offset, in a group, of its count of entries. */
  public static final int GROUP_COUNT_OFFSET = GROUP_FIRST_PAGE_OFFSET + Long.BYTES;

  /** Offset, in a group, of the bytes of its lines. */
  public static final int GROUP_DATA_LENGTH_OFFSET = GROUP_COUNT_OFFSET + Integer.BYTES;

  /** Offset, in a group, of four reserved bytes. */
  public static final int GROUP_RESERVED_OFFSET = GROUP_DATA_LENGTH_OFFSET + Integer.BYTES;

  /** Offset, in a group, of its checksum. */
  public static final int GROUP_CRC_OFFSET = GROUP_RESERVED_OFFSET + Integer.BYTES;

  /** Length of a group's fixed part; the lines follow, then the entries. */
  public static final int GROUP_HEADER_LENGTH = GROUP_CRC_OFFSET + Integer.BYTES;

  /** Offset, in an entry, of the page's distance from the group's first. */
  public static final int ENTRY_DELTA_OFFSET = 0;

  /** Offset, in an entry, of the page's checksum. */
  public static final int ENTRY_CRC_OFFSET = ENTRY_DELTA_OFFSET + Integer.BYTES;

  /** Offset, in an entry, of the bits of its lines. */
  public static final int ENTRY_LINES_OFFSET = ENTRY_CRC_OFFSET + Integer.BYTES;

  /** Length of an entry. */
  public static final int ENTRY_LENGTH = ENTRY_LINES_OFFSET + Long.BYTES;

  /** Most lines in a page. */
  public static final int MAX_LINES = Long.SIZE;

  /** Headers and groups start, and groups end, at multiples of this. */
  public static final int ALIGNMENT = 4096;

  /** "HWDJRNAL" read as a little-endian word. */
  public static final long MAGIC = 0x4C41_4E52_4A44_5748L;

  /** "HWDJGRUP" read as a little-endian word. */
  public static final long GROUP_MAGIC = 0x5055_5247_4A44_5748L;

  /** Current version of the journal's format. */
  public static final int VERSION = 2;

  /** Longest group, padding included; readers refuse a longer one. */
  public static final int MAX_GROUP_LENGTH = 1 << 18;

  private JournalLayout() {}

  /** Returns the bytes in a line of a page. */
  public static int lineBytes(int pageBytes) {
    return Math.max(pageBytes / MAX_LINES, Long.BYTES);
  }

  /** Returns the bits of all lines of a page. */
  public static long allLines(int pageBytes) {
    return -1L >>> (MAX_LINES - pageBytes / lineBytes(pageBytes));
  }

  /** Returns the length of a group, padding included. */
  public static long groupLength(int count, int dataLength) {
    return Alignment.up(
        GROUP_HEADER_LENGTH + (long) dataLength + (long) count * ENTRY_LENGTH, ALIGNMENT);
  }
}

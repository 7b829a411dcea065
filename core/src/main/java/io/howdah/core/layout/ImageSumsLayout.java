package io.howdah.core.layout;

/**
 * The checksums of the image's pages, in a file beside it: one page of header, then four bytes for
 * each page of the region. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDISUMS"
 *    8 | formatVersion| page         |  page: bytes in a page of the region
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | reserved = 0 | crc          |  crc32c over bytes [0, 36) and [40, 4096)
 *   40 | zeros to 4096
 * 4096 | sum          | sum          |  of page 0, of page 1, ...
 * </pre>
 *
 * A page's sum is its crc32c XOR that of a page of zeros: so a page that was never written, a hole
 * in the image, has a hole here.
 */
public final class ImageSumsLayout {

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

  /** Offset of four reserved bytes. */
  public static final int RESERVED_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the header's checksum. */
  public static final int CRC_OFFSET = RESERVED_OFFSET + Integer.BYTES;

  /** Length of the header; the sums start here. */
  public static final int HEADER_LENGTH = 4096;

  /** Length of a sum. */
  public static final int SUM_LENGTH = Integer.BYTES;

  /** "HWDISUMS" read as a little-endian word. */
  public static final long MAGIC = 0x534D_5553_4944_5748L;

  /** Current version of the format. */
  public static final int VERSION = 1;

  private ImageSumsLayout() {}

  /** Returns where the sum of a page lies in the file. */
  public static long offset(long page) {
    return HEADER_LENGTH + page * SUM_LENGTH;
  }
}

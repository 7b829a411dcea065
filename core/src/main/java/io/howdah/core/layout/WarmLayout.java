package io.howdah.core.layout;

/**
 * The file {@code warm}, beside the file {@code region} of a store's memory that outlives the
 * process: whose memory it is, which commits were storing, and which pages differ from the image.
 * Mapped shared. Little-endian.
 *
 * <pre>
 *         0              4              8
 *       +--------------+--------------+
 *     0 | magic                       |  "HWDWARM1"
 *     8 | formatVersion| pageBytes    |
 *    16 | storeIdHigh                 |
 *    24 | storeIdLow                  |
 *    32 | nonce                       |  of the opening whose memory this is; the superblock has the same
 *    40 | generation                  |
 *    48 | bootHigh                    |  the kernel run that made the memory
 *    56 | bootLow                     |
 *    64 | device                      |  of the file region
 *    72 | inode                       |
 *    80 | ownDevice                   |  of this very file
 *    88 | ownInode                    |
 *    96 | capacity                    |  bytes of the region
 *   104 | flags        | crc          |  flags: 1 if the image was verified when it was loaded; crc32c
 *       |                             |  over bytes [0, 108)
 *       | zeros to 4096               |
 *  4096 | applying                    |  of lane 0, then one every 64 bytes: 0, or the dense LSN of
 *       |                             |  the commit that may be storing
 *       | zeros to 20480              |
 * 20480 | noteLength   | noteCrc      |  noteCrc: crc32c over the bytes of the note
 * 20488 | note                        |  UTF-8: where the process would report a fatal error
 *       | zeros to 36928              |
 * 36928 | maps                        |  the words of the maps of dirty pages
 * </pre>
 *
 * A header with a valid checksum says that the region is whole: it is written when everything that
 * recovery found is in the region, and no commit has begun (docs/protocol.md, R49).
 */
public final class WarmLayout {

  /** Name of the file with the region's words. */
  public static final String REGION = "region";

  /** Name of the file that this layout describes. */
  public static final String WARM = "warm";

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the length of a page. */
  public static final int PAGE_BYTES_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;

  /** Offset of the store id's low half. */
  public static final int STORE_ID_LOW_OFFSET = STORE_ID_HIGH_OFFSET + Long.BYTES;

  /** Offset of the nonce. */
  public static final int NONCE_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the generation. */
  public static final int GENERATION_OFFSET = NONCE_OFFSET + Long.BYTES;

  /** Offset of the boot identity's high half. */
  public static final int BOOT_HIGH_OFFSET = GENERATION_OFFSET + Long.BYTES;

  /** Offset of the boot identity's low half. */
  public static final int BOOT_LOW_OFFSET = BOOT_HIGH_OFFSET + Long.BYTES;

  /** Offset of the device of the region's file. */
  public static final int DEVICE_OFFSET = BOOT_LOW_OFFSET + Long.BYTES;

  /** Offset of the inode of the region's file. */
  public static final int INODE_OFFSET = DEVICE_OFFSET + Long.BYTES;

  /** Offset of the device of this file. */
  public static final int OWN_DEVICE_OFFSET = INODE_OFFSET + Long.BYTES;

  /** Offset of the inode of this file. */
  public static final int OWN_INODE_OFFSET = OWN_DEVICE_OFFSET + Long.BYTES;

  /** Offset of the region's length. */
  public static final int CAPACITY_OFFSET = OWN_INODE_OFFSET + Long.BYTES;

  /** Offset of the flags. */
  public static final int FLAGS_OFFSET = CAPACITY_OFFSET + Long.BYTES;

  /** Offset of the checksum. */
  public static final int CRC_OFFSET = FLAGS_OFFSET + Integer.BYTES;

  /** Length of the part of the header that is not zeros. */
  public static final int HEADER_LENGTH = CRC_OFFSET + Integer.BYTES;

  /** Offset of the words of lanes. */
  public static final int APPLYING_OFFSET = 4096;

  /** Distance of the words of two lanes: a cache line. */
  public static final int APPLYING_SPACING = 64;

  /** Number of words of lanes. */
  public static final int LANES = 256;

  /** Offset of the length of the note. */
  public static final int NOTE_LENGTH_OFFSET = APPLYING_OFFSET + LANES * APPLYING_SPACING;

  /** Offset of the checksum of the note. */
  public static final int NOTE_CRC_OFFSET = NOTE_LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the note. */
  public static final int NOTE_OFFSET = NOTE_CRC_OFFSET + Integer.BYTES;

  /** Maximum length of the note. */
  public static final int MAX_NOTE_BYTES = 1 << 14;

  /** Offset of the maps of dirty pages, in a cache line of their own. */
  public static final int MAPS_OFFSET = 36_928;

  /** Flag: every page of the image was compared with its checksum when the region was loaded. */
  public static final int IMAGE_VERIFIED = 1;

  /** Current version of the format. */
  public static final int VERSION = 2;

  /** "HWDWARM1" read as a little-endian word. */
  public static final long MAGIC = 0x314D_5241_5744_5748L;

  private WarmLayout() {}
}

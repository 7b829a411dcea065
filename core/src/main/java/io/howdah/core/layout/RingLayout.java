package io.howdah.core.layout;

/**
 * A partition's ring: one page of header, then the redo records published and not yet forced.
 * Mapped shared, so it outlives the process. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDRING1"
 *    8 | formatVersion| partition    |
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | nonce                       |  of the opening that made the ring; the superblock holds the same
 *   40 | generation                  |
 *   48 | bootHigh                    |  the kernel run that made the ring
 *   56 | bootLow                     |
 *   64 | device                      |  of this very file: a copy is not trusted
 *   72 | inode                       |
 *   80 | capacity                    |  bytes of records, a power of two
 *   88 | reserved = 0 | crc          |  crc32c over bytes [0, 92)
 *      | ...
 *  256 | inflight                    |  dense LSN the lane announced, or IDLE
 *  512 | tail                        |  position after the last published record
 *  768 | forcedPosition              |  position up to which records are in a forced batch
 *      | ...
 * 4096 | records, position p at 4096 + p mod capacity
 * </pre>
 *
 * Positions count bytes from the generation's start and never wrap (docs/protocol.md, R24). The
 * three moving words are 256 bytes apart: each has another writer.
 */
public final class RingLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the partition. */
  public static final int PARTITION_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = PARTITION_OFFSET + Integer.BYTES;

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

  /** Offset of the device. */
  public static final int DEVICE_OFFSET = BOOT_LOW_OFFSET + Long.BYTES;

  /** Offset of the inode. */
  public static final int INODE_OFFSET = DEVICE_OFFSET + Long.BYTES;

  /** Offset of the capacity. */
  public static final int CAPACITY_OFFSET = INODE_OFFSET + Long.BYTES;

  /** Offset of four reserved bytes. */
  public static final int RESERVED_OFFSET = CAPACITY_OFFSET + Long.BYTES;

  /** Offset of the checksum. */
  public static final int CRC_OFFSET = RESERVED_OFFSET + Integer.BYTES;

  /** Offset of the lane's announcement. */
  public static final int INFLIGHT_OFFSET = 256;

  /** Offset of the tail. */
  public static final int TAIL_OFFSET = 512;

  /** Offset of the forced position. */
  public static final int FORCED_OFFSET = 768;

  /** Length of the header; records start here. */
  public static final int HEADER_LENGTH = 4096;

  /** What {@code inflight} holds when no commit is under way. */
  public static final long IDLE = Long.MAX_VALUE;

  /** Smallest capacity in bytes. */
  public static final int MIN_CAPACITY = 1 << 16;

  /** Largest capacity in bytes; one section of a batch holds half of it at least. */
  public static final int MAX_CAPACITY = 1 << 24;

  /** Current version of the ring's format. */
  public static final int VERSION = 2;

  /** "HWDRING1" read as a little-endian word. */
  public static final long MAGIC = 0x3147_4E49_5244_5748L;

  private RingLayout() {}
}

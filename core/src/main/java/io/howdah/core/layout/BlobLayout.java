package io.howdah.core.layout;

/**
 * A blob in the region. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWD_BLB2"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | reserved = 0 |
 *   32 | size         |  how many bytes there are
 *   40 | reserved = 0 |
 *   64 | directory ...|  see ChunkDirectoryLayout; a unit is 64 bytes
 *  384
 * </pre>
 *
 * <p>Bytes of a chunk behind the blob's last byte have any contents.
 */
public final class BlobLayout {

  /** "HWD_BLB2" read as a little-endian word. */
  public static final long MAGIC = 0x3242_4C42_5F44_5748L;

  /** Offset of the number of bytes. */
  public static final int SIZE_OFFSET = 32;

  /** Offset of the directory of the chunks. */
  public static final int DIRECTORY_OFFSET = 64;

  /** Bytes of a blob without its chunks. */
  public static final int LENGTH = DIRECTORY_OFFSET + ChunkDirectoryLayout.LENGTH;

  /** Bytes of a unit of its chunks. */
  public static final int UNIT_BYTES = 64;

  /** Maximum number of bytes. */
  public static final long MAX_SIZE = 1L << 44;

  private BlobLayout() {}
}

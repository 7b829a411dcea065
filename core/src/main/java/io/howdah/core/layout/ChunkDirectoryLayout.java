package io.howdah.core.layout;

/**
 * The directory of an array that grows without being copied: the addresses of its chunks, each of
 * which has as many units as all before it together. What a unit is, and how many bytes it has, the
 * owner of the directory decides.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | chunks ...   |  40 words: addresses of the chunks, 0 = not allocated
 *      +--------------+
 *
 *  table
 *    0 | parts ...    |  512 words: addresses of pieces, or of tables, 0 = not allocated
 * 4096
 * </pre>
 *
 * <p>Chunk 0 has 8 units, chunk k has 4 * 2<sup>k</sup>. A chunk of up to 64 KiB is one block. A
 * longer one consists of <i>pieces</i> of 64 KiB, so that no block is longer, and its address is
 * that of a table: of its pieces up to 32 MiB, else of tables of up to 512 pieces, or of tables of
 * these. Tables and pieces are allocated one by one, as the array reaches them.
 */
public final class ChunkDirectoryLayout {

  /** Offset of the first address. */
  public static final int CHUNKS_OFFSET = 0;

  /** Addresses in a directory. */
  public static final int CHUNKS = 40;

  /** Bytes of a directory. */
  public static final int LENGTH = CHUNKS_OFFSET + CHUNKS * Long.BYTES;

  /** Maximum number of units: those of all chunks together. */
  public static final long MAX_UNITS = 1L << 42;

  /** Base-two logarithm of the bytes of a piece. */
  public static final int PIECE_SHIFT = 16;

  /** Bytes of a piece, and maximum bytes of a chunk that is one block. */
  public static final int PIECE_BYTES = 1 << PIECE_SHIFT;

  /** Base-two logarithm of the addresses in a table. */
  public static final int TABLE_SHIFT = 9;

  /** Bytes of a table. */
  public static final int TABLE_BYTES = Long.BYTES << TABLE_SHIFT;

  /** Units of chunk 0. */
  public static final int FIRST_UNITS = 8;

  private static final int FIRST_SHIFT = 3;

  private ChunkDirectoryLayout() {}

  /** Returns the chunk of a unit. */
  public static int chunk(long unit) {
    return unit < FIRST_UNITS ? 0 : Long.SIZE - Long.numberOfLeadingZeros(unit) - FIRST_SHIFT;
  }

  /** Returns the first unit of a chunk. */
  public static long firstUnit(int chunk) {
    return chunk == 0 ? 0 : 1L << (chunk + FIRST_SHIFT - 1);
  }

  /** Returns how many units a chunk has. */
  public static long units(int chunk) {
    return chunk == 0 ? FIRST_UNITS : firstUnit(chunk);
  }

  /** Returns how many levels of tables a chunk has above its pieces, by its bytes; 0 to 3. */
  public static int levels(long chunkBytes) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(chunkBytes - 1) - PIECE_SHIFT;
    return bits <= 0 ? 0 : (bits + TABLE_SHIFT - 1) / TABLE_SHIFT;
  }
}

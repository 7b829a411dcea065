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
 * </pre>
 *
 * <p>Chunk 0 has 8 units, chunk k has 4 * 2<sup>k</sup>.
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
}

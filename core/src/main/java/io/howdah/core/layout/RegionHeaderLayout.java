package io.howdah.core.layout;

/**
 * The first two pages of a region. They are ordinary transactional words: changed by transactions,
 * replayed by recovery. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDHEAP1"; 0 = never initialised
 *    8 | version      |
 *   16 | top          |  address of the first page above all runs; all from there on reads as zeros
 *   24 | catalogue    |  address of the tree of named collections, 0 = none yet
 *   32 | openings     |  how often the store was opened; fields that do not persist go by it
 *   40 | types        |  address of the tree of types of objects, 0 = none yet
 *   48 | shapes       |  address of the tree of shapes of records, 0 = none yet
 *   56 | reserved = 0 |
 *      | ...
 *  576 | roots        |  64 words, the application's
 * 1088 | horizon      |  milliseconds since 1970: entries that expired later than this were not
 *                        reclaimed, 0 = none was
 * 1096 | reserved = 0 |
 *      | ...
 * 4096 | pages        |  512 words, the descriptors of the first 512 pages; see PageLayout
 * 8192 | blocks
 * </pre>
 */
public final class RegionHeaderLayout {

  /** Address of the magic word. */
  public static final int MAGIC_ADDRESS = 0;

  /** Address of the version. */
  public static final int VERSION_ADDRESS = MAGIC_ADDRESS + Long.BYTES;

  /** Address of the end of what was ever used. */
  public static final int TOP_ADDRESS = VERSION_ADDRESS + Long.BYTES;

  /** Address of the address of the catalogue. */
  public static final int CATALOGUE_ADDRESS = TOP_ADDRESS + Long.BYTES;

  /** Address of the number of openings. */
  public static final int OPENINGS_ADDRESS = CATALOGUE_ADDRESS + Long.BYTES;

  /** Address of the address of the types. */
  public static final int TYPES_ADDRESS = OPENINGS_ADDRESS + Long.BYTES;

  /** Address of the address of the shapes. */
  public static final int SHAPES_ADDRESS = TYPES_ADDRESS + Long.BYTES;

  /** Address of the roots. */
  public static final int ROOTS_ADDRESS = 576;

  /** How many roots an application has. */
  public static final int ROOTS = 64;

  /**
   * Address of the horizon of expiry. Every transaction that uses an entry with an expiry reads it,
   * so it shares its stripe with nothing.
   */
  public static final int HORIZON_ADDRESS = ROOTS_ADDRESS + ROOTS * Long.BYTES;

  /** Address of the first page descriptor. */
  public static final int PAGES_ADDRESS = 4096;

  /** Address of the first block. */
  public static final int BLOCKS_ADDRESS = PAGES_ADDRESS + 512 * Long.BYTES;

  /** "HWDHEAP1" read as a little-endian word. */
  public static final long MAGIC = 0x3150_4145_4844_5748L;

  /** Current version of the region's layout. */
  public static final int VERSION = 4;

  private RegionHeaderLayout() {}
}

package io.howdah.core.layout;

/**
 * The first 512 words of a region. They are ordinary transactional words: changed by transactions,
 * replayed by recovery. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDHEAP1"; 0 = never initialised
 *    8 | version      |
 *   16 | top          |  address of the first byte never allocated
 *   24 | reserved = 0 |
 *      | ...
 *   64 | freeLists    |  64 words: address of the first free block of each size class, 0 = none
 *  576 | roots        |  64 words, the application's
 * 1088 | reserved = 0 |
 *      | ...
 * 4096 | blocks
 * </pre>
 */
public final class RegionHeaderLayout {

  /** Address of the magic word. */
  public static final int MAGIC_ADDRESS = 0;

  /** Address of the version. */
  public static final int VERSION_ADDRESS = MAGIC_ADDRESS + Long.BYTES;

  /** Address of the allocator's top. */
  public static final int TOP_ADDRESS = VERSION_ADDRESS + Long.BYTES;

  /** Address of the free lists. */
  public static final int FREE_LISTS_ADDRESS = 64;

  /** How many size classes there can be. */
  public static final int FREE_LISTS = 64;

  /** Address of the roots. */
  public static final int ROOTS_ADDRESS = FREE_LISTS_ADDRESS + FREE_LISTS * Long.BYTES;

  /** How many roots an application has. */
  public static final int ROOTS = 64;

  /** Address of the first block. */
  public static final int BLOCKS_ADDRESS = 4096;

  /** "HWDHEAP1" read as a little-endian word. */
  public static final long MAGIC = 0x3150_4145_4844_5748L;

  /** Current version of the region's layout. */
  public static final int VERSION = 1;

  private RegionHeaderLayout() {}
}

package io.howdah.core.layout;

/**
 * A list in the region. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWD_LST2"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | reserved = 0 |
 *   32 | size         |  how many elements there are
 *   40 | reserved = 0 |
 *   64 | directory ...|  see ChunkDirectoryLayout; a unit is a word
 *  384
 * </pre>
 *
 * <p>An element's word holds its bytes if all elements have one length of at most 8 bytes, else the
 * address of a block, see {@link EntryLayout}.
 */
public final class ListLayout {

  /** "HWD_LST2" read as a little-endian word. */
  public static final long MAGIC = 0x3254_534C_5F44_5748L;

  /** Offset of the number of elements. */
  public static final int SIZE_OFFSET = 32;

  /** Offset of the directory of the elements' words. */
  public static final int DIRECTORY_OFFSET = 64;

  /** Bytes of a list without its chunks. */
  public static final int LENGTH = DIRECTORY_OFFSET + ChunkDirectoryLayout.LENGTH;

  private ListLayout() {}
}

package io.howdah.core.layout;

/**
 * The header of a persistent object, and of the blocks that extend it. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | type         | version      |  version: 14 bits, then 18 bits with the incarnation
 *    8 | extension                   |  address of a block with later fields, 0 = none
 *   16 | fields ...                  |
 * </pre>
 *
 * <ul>
 *   <li>type: the type's number in this store, see {@link TypeTextLayout}
 *   <li>version: of the layout that the object was created with
 *   <li>incarnation: tells the object from others that were at this address before; a reference
 *       holds the same number, see {@link ReferenceLayout}
 * </ul>
 *
 * <p>A field keeps its offset for ever. A later version of a type adds its fields behind the
 * others. An object that is older than a field has the field in another block, to which its
 * extension points, and which is laid out in the same way. A header never changes, so only the
 * version that created a block is in it. The first extension of an object that is owned is its
 * {@linkplain OwnerLayout owner block}.
 *
 * <p>What a field holds:
 *
 * <ul>
 *   <li>BOOLEAN and BYTE 1 byte, SHORT and CHAR 2, INT and FLOAT 4, LONG and DOUBLE 8; of a BOOLEAN
 *       the lowest bit counts
 *   <li>ENUM 4 bytes: 1 + the constant's number in the stored list; 0 = null
 *   <li>REFERENCE 8 bytes, see {@link ReferenceLayout}; 0 = null
 *   <li>OWNED the same, to an object that has an {@linkplain OwnerLayout owner block}
 *   <li>STRING and BYTES 8 bytes: address of a block with the UTF-8 or the bytes, see {@link
 *       EntryLayout}; 0 = null
 *   <li>COLLECTION 8 bytes: address of the header of a sorted map or a list, see {@link TreeLayout}
 *       and {@link ListLayout}; 0 = nothing was put into it yet
 *   <li>FIXED_STRING and FIXED_BYTES: 4 bytes with the length + 1, 0 = null; then the UTF-8 or
 *       bytes
 *   <li>STRUCT: the fields of another type, without a header
 * </ul>
 */
public final class ObjectHeaderLayout {

  /** Offset of the word with type, version and incarnation. */
  public static final int IDENTITY_OFFSET = 0;

  /** Offset of the address of the block with later fields. */
  public static final int EXTENSION_OFFSET = IDENTITY_OFFSET + Long.BYTES;

  /** Length of the header; the fields follow. */
  public static final int HEADER_LENGTH = EXTENSION_OFFSET + Long.BYTES;

  /** Maximum version of a layout. */
  public static final int MAX_VERSION = (1 << 14) - 1;

  /**
   * The bits in which an object's first word and a reference to it agree, and those of the type.
   */
  private static final long IDENTITY_MASK = ReferenceLayout.INCARNATION_MASK | 0xFFFF_FFFFL;

  private ObjectHeaderLayout() {}

  /** Packs the first word of a new object. */
  public static long identity(int type, int version, long reference) {
    return Integer.toUnsignedLong(type)
        | (long) version << Integer.SIZE
        | ReferenceLayout.incarnation(reference);
  }

  /** Returns whether a first word is that of the object of a type that a reference leads to. */
  public static boolean isIdentityOf(long identity, int type, long reference) {
    long expected = Integer.toUnsignedLong(type) ^ ReferenceLayout.incarnation(reference);
    return ((identity ^ expected) & IDENTITY_MASK) == 0;
  }

  /** Returns the version of the layout in a first word. */
  public static int version(long identity) {
    return (int) (identity >>> Integer.SIZE) & MAX_VERSION;
  }
}

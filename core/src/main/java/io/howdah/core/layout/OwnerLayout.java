package io.howdah.core.layout;

/**
 * The block that says who owns a persistent object. It is the first extension of the object, see
 * {@link ObjectHeaderLayout}, in front of those with later fields. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | mark         | reserved = 0 |  mark: 0xFFFFFFFF, which is the number of no type
 *    8 | extension                   |  address of the object's next block, 0 = none
 *   16 | owner                       |  reference to the owner, see ReferenceLayout
 *   24 | word                        |  address of the word that refers to the owned object
 *      +--------------+--------------+
 * </pre>
 *
 * <p>To those who look for fields it is a block of version 0, which has none. The word lies in a
 * block of the owner.
 */
public final class OwnerLayout {

  /** Offset of the mark. */
  public static final int MARK_OFFSET = ObjectHeaderLayout.IDENTITY_OFFSET;

  /** Offset of the address of the next block. */
  public static final int EXTENSION_OFFSET = ObjectHeaderLayout.EXTENSION_OFFSET;

  /** Offset of the reference to the owner. */
  public static final int OWNER_OFFSET = EXTENSION_OFFSET + Long.BYTES;

  /** Offset of the address of the word that refers to the object. */
  public static final int WORD_OFFSET = OWNER_OFFSET + Long.BYTES;

  /** Length of the block. */
  public static final int LENGTH = WORD_OFFSET + Long.BYTES;

  /** The first word. */
  public static final long MARK = 0xFFFF_FFFFL;

  private OwnerLayout() {}
}

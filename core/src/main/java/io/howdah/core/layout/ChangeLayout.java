package io.howdah.core.layout;

/**
 * A change of a map, in its change journal: a tree, see {@link TreeLayout}, whose keys are the
 * numbers of changes, big-endian, and whose values are these. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | kind         | keyLength    |  kind: 1 = put, 2 = removed, 3 = expired,
 *                                       4 = evicted
 *    8 | key ...                     |  then the value, up to the end; only of a put
 *      +--------------+--------------+
 * </pre>
 *
 * <p>Numbers begin at 1. The tree's header has the number of the newest change, and how many
 * changes the journal keeps.
 */
public final class ChangeLayout {

  /** A key got a value. */
  public static final int PUT = 1;

  /** A key was removed. */
  public static final int REMOVED = 2;

  /** A key was removed whose value had expired. */
  public static final int EXPIRED = 3;

  /** A key was removed from a cache to make room. */
  public static final int EVICTED = 4;

  /** Offset of the kind. */
  public static final int KIND_OFFSET = 0;

  /** Offset of the key's length. */
  public static final int KEY_LENGTH_OFFSET = KIND_OFFSET + Integer.BYTES;

  /** Offset of the key; bytes of a change without it. */
  public static final int KEY_OFFSET = KEY_LENGTH_OFFSET + Integer.BYTES;

  private ChangeLayout() {}
}

package io.howdah.core.layout;

/**
 * The word that refers to a persistent object: the object's address and its incarnation.
 *
 * <pre>
 *    63            46 45             0
 *   +----------------+----------------+
 *   | incarnation    | address        |
 *   +----------------+----------------+
 * </pre>
 *
 * <p>The incarnation is the one in the object's header, so a reference to an object that was freed
 * is recognised when it is followed.
 */
public final class ReferenceLayout {

  /** The first bit of the incarnation. */
  public static final int INCARNATION_SHIFT = 46;

  /** The bits of the incarnation. */
  public static final long INCARNATION_MASK = -1L << INCARNATION_SHIFT;

  private ReferenceLayout() {}

  /** Returns the address in a word that holds an address or a reference. */
  public static long address(long word) {
    return word & ~INCARNATION_MASK;
  }
}

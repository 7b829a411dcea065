package io.howdah.core.layout;

/**
 * The word that refers to a persistent object. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | reference    |  bits 0 to 45: the object's address; bits 46 to 63: its incarnation
 *      +--------------+
 * </pre>
 *
 * <p>The incarnation is the one in the object's header, so a reference to an object that was freed
 * is recognised when it is followed: by a word that has to be read anyway. If another object of the
 * type has taken the address, one reference in 2<sup>18</sup> is not recognised.
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

  /** Returns the incarnation in a reference, where a reference has it. */
  public static long incarnation(long reference) {
    return reference & INCARNATION_MASK;
  }

  /** Returns a reference to an address, with the incarnation of another reference. */
  public static long reference(long address, long incarnation) {
    return address | incarnation(incarnation);
  }
}

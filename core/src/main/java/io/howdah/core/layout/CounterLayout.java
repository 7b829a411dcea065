package io.howdah.core.layout;

/**
 * A counter in the region. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDCUNTR"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | reserved = 0 |
 *   64 | stripes ...  |  16 words, each 64 bytes from the next: their sum is the number
 * 1088
 * </pre>
 */
public final class CounterLayout {

  /** "HWDCUNTR" read as a little-endian word. */
  public static final long MAGIC = 0x5254_4E55_4344_5748L;

  /** Offset of the first stripe. */
  public static final int STRIPES_OFFSET = 64;

  /** How many words the number is spread over. */
  public static final int STRIPES = 16;

  /** Bytes from one stripe's word to the next. */
  public static final int STRIPE_BYTES = 64;

  /** Bytes of a counter. */
  public static final int LENGTH = STRIPES_OFFSET + STRIPES * STRIPE_BYTES;

  private CounterLayout() {}
}

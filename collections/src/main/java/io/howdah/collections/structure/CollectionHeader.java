package io.howdah.collections.structure;

import io.howdah.codec.Codec;
import io.howdah.txn.stm.TxContext;

/**
 * What the header of every collection begins with. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  the kind of collection
 *    8 | incarnation                 |  a random number; 0 = dropped
 *   16 | keyFixed     | valueFixed   |  length of all keys, and values, in bytes; -1 = they differ
 *      +--------------+--------------+
 * </pre>
 */
public final class CollectionHeader {

  public static final int MAGIC_OFFSET = 0;
  public static final int INCARNATION_OFFSET = MAGIC_OFFSET + Long.BYTES;
  static final int SHAPE_OFFSET = INCARNATION_OFFSET + Long.BYTES;
  public static final int LENGTH = SHAPE_OFFSET + Long.BYTES;

  private CollectionHeader() {}

  public static void write(
      TxContext context, long header, long magic, long incarnation, int keyFixed, int valueFixed) {
    context.putUnchecked(header + MAGIC_OFFSET, magic);
    context.putUnchecked(header + INCARNATION_OFFSET, incarnation);
    context.putUnchecked(
        header + SHAPE_OFFSET, (keyFixed & 0xFFFF_FFFFL) | (long) valueFixed << Integer.SIZE);
  }

  static int keyFixed(TxContext context, long header) {
    return (int) context.getUnchecked(header + SHAPE_OFFSET);
  }

  public static int valueFixed(TxContext context, long header) {
    return (int) (context.getUnchecked(header + SHAPE_OFFSET) >>> Integer.SIZE);
  }

  /** Returns whether values of a length fit into a word. */
  public static boolean isInline(int valueFixed) {
    return valueFixed != Codec.VARIABLE && valueFixed <= Long.BYTES;
  }

  /** Ends a collection whose blocks are about to be freed: handles that are left notice. */
  public static void end(TxContext context, long header) {
    context.putUnchecked(header + INCARNATION_OFFSET, 0);
  }
}

package io.howdah.collections.structure;

import io.howdah.core.layout.QueueLayout;
import io.howdah.txn.stm.TxContext;
import java.util.function.LongConsumer;

/** The blocks of a queue. */
public final class QueueBlocks {

  private QueueBlocks() {}

  /** Returns how many elements the queue at an address has. */
  public static long size(TxContext context, long address) {
    long put = context.getUnchecked(address + QueueLayout.ADDED_OFFSET);
    long taken = context.getUnchecked(address + QueueLayout.TAKEN_OFFSET);
    if (taken < 0 || put < taken) {
      throw context.inconsistentRead(address, "the queue at address " + address);
    }
    return put - taken;
  }

  /** Returns the address of the slot of an element in its segment. */
  public static long slot(long segment, long number) {
    return segment + QueueLayout.slotOffset(number);
  }

  /** Returns a segment whose address was read from an address. */
  public static long requireSegment(TxContext context, long segment, long from) {
    return StoredNumbers.block(
        context, segment, QueueLayout.SEGMENT_BYTES, from, "a segment of a queue");
  }

  /** Returns the segment behind another. */
  public static long nextSegment(TxContext context, long segment) {
    long next = context.getUnchecked(segment + QueueLayout.NEXT_OFFSET);
    return requireSegment(context, next, segment);
  }

  /** Shows every block, the queue included. A block is not read after it was shown. */
  public static void visit(TxContext context, long address, LongConsumer blocks) {
    long taken = context.getUnchecked(address + QueueLayout.TAKEN_OFFSET);
    long put = context.getUnchecked(address + QueueLayout.ADDED_OFFSET);
    long segment = context.getUnchecked(address + QueueLayout.HEAD_SEGMENT_OFFSET);
    for (long i = taken; i < put; i++) {
      if (QueueLayout.startsSegment(i)) {
        segment = leaveSegment(context, segment, blocks);
      }
      long slot = slot(requireSegment(context, segment, address), i);
      if (context.getUnchecked(slot) - 1 > QueueLayout.MAX_INLINE_BYTES) {
        blocks.accept(context.getUnchecked(slot + QueueLayout.ELEMENT_OFFSET));
      }
    }
    while (segment != 0) {
      segment = leaveSegment(context, segment, blocks);
    }
    blocks.accept(address);
  }

  private static long leaveSegment(TxContext context, long segment, LongConsumer blocks) {
    long next = context.getUnchecked(segment + QueueLayout.NEXT_OFFSET);
    blocks.accept(segment);
    return next;
  }
}

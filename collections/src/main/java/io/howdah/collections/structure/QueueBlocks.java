package io.howdah.collections.structure;

import io.howdah.core.layout.QueueLayout;
import io.howdah.txn.words.Words;
import java.util.function.LongConsumer;

/** The blocks of a queue. */
public final class QueueBlocks {

  private QueueBlocks() {}

  /** Returns how many elements the queue at an address has. */
  public static long size(Words words, long address) {
    long put = words.getUnchecked(address + QueueLayout.ADDED_OFFSET);
    long taken = words.getUnchecked(address + QueueLayout.TAKEN_OFFSET);
    if (taken < 0 || put < taken) {
      throw words.inconsistentRead(address, "the queue at address " + address);
    }
    return put - taken;
  }

  /** Returns the address of the slot of an element in its segment. */
  public static long slot(long segment, long number) {
    return segment + QueueLayout.slotOffset(number);
  }

  /** Returns a segment whose address was read from an address. */
  public static long requireSegment(Words words, long segment, long from) {
    return StoredNumbers.block(
        words, segment, QueueLayout.SEGMENT_BYTES, from, "a segment of a queue");
  }

  /** Returns the segment after another. */
  public static long nextSegment(Words words, long segment) {
    long next = words.getUnchecked(segment + QueueLayout.NEXT_OFFSET);
    return requireSegment(words, next, segment);
  }

  /** Shows every block, the queue included. A block is not read after it was shown. */
  public static void visit(Words words, long address, LongConsumer blocks) {
    long taken = words.getUnchecked(address + QueueLayout.TAKEN_OFFSET);
    long put = words.getUnchecked(address + QueueLayout.ADDED_OFFSET);
    long segment = words.getUnchecked(address + QueueLayout.HEAD_SEGMENT_OFFSET);
    for (long i = taken; i < put; i++) {
      if (QueueLayout.startsSegment(i)) {
        segment = leaveSegment(words, segment, blocks);
      }
      long slot = slot(requireSegment(words, segment, address), i);
      if (words.getUnchecked(slot) - 1 > QueueLayout.MAX_INLINE_BYTES) {
        blocks.accept(words.getUnchecked(slot + QueueLayout.ELEMENT_OFFSET));
      }
    }
    while (segment != 0) {
      segment = leaveSegment(words, segment, blocks);
    }
    blocks.accept(address);
  }

  private static long leaveSegment(Words words, long segment, LongConsumer blocks) {
    long next = words.getUnchecked(segment + QueueLayout.NEXT_OFFSET);
    blocks.accept(segment);
    return next;
  }
}

package io.howdah.collections.structure;

import io.howdah.core.layout.ChunkDirectoryLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.txn.stm.TxContext;
import java.util.function.LongConsumer;

/** The blocks of a list. */
public final class ListBlocks {

  private ListBlocks() {}

  /** Returns how many elements the list at an address has. */
  public static long size(TxContext context, long address) {
    long size = context.getUnchecked(address + ListLayout.SIZE_OFFSET);
    if (size < 0 || size > ChunkDirectoryLayout.MAX_UNITS) {
      throw context.inconsistentRead(address, "the list at address " + address);
    }
    return size;
  }

  /** Shows every block, the list included. A block is not read after it was shown. */
  public static void visit(TxContext context, long address, LongConsumer blocks) {
    long directory = address + ListLayout.DIRECTORY_OFFSET;
    long size = size(context, address);
    if (!CollectionHeader.isInline(CollectionHeader.valueLength(context, address))) {
      for (long i = 0; i < size; i++) {
        long word = DoublingChunks.address(context, directory, i, Long.BYTES);
        blocks.accept(context.getUnchecked(word));
      }
    }
    DoublingChunks.visitBlocks(context, directory, Long.BYTES, blocks);
    blocks.accept(address);
  }
}

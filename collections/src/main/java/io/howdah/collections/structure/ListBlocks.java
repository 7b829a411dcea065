package io.howdah.collections.structure;

import io.howdah.core.layout.ChunkDirectoryLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.txn.words.Words;
import java.util.function.LongConsumer;

/** The blocks of a list. */
public final class ListBlocks {

  private ListBlocks() {}

  /** Returns how many elements the list at an address has. */
  public static long size(Words words, long address) {
    long size = words.getUnchecked(address + ListLayout.SIZE_OFFSET);
    if (size < 0 || size > ChunkDirectoryLayout.MAX_UNITS) {
      throw words.inconsistentRead(address, "the list at address " + address);
    }
    return size;
  }

  /** Shows every block, the list included. A block is not read after it was shown. */
  public static void visit(Words words, long address, LongConsumer blocks) {
    long directory = address + ListLayout.DIRECTORY_OFFSET;
    long size = size(words, address);
    if (!CollectionHeader.isInline(CollectionHeader.valueLength(words, address))) {
      for (long i = 0; i < size; i++) {
        long word = DoublingChunks.address(words, directory, i, Long.BYTES);
        blocks.accept(words.getUnchecked(word));
      }
    }
    DoublingChunks.visitBlocks(words, directory, Long.BYTES, blocks);
    blocks.accept(address);
  }
}

package io.howdah.collections.structure;

import io.howdah.core.layout.ChunkDirectoryLayout;
import io.howdah.txn.words.Words;
import java.util.function.LongConsumer;

/**
 * An array in the region that grows without being copied: chunks, each as long as all before it
 * together, from a directory of addresses. Chunk 0 has 8 units, chunk k has 4 * 2<sup>k</sup>.
 */
public final class DoublingChunks {

  private DoublingChunks() {}

  /** Returns the address of a unit whose chunk is there. */
  public static long address(Words words, long directory, long index, long unitBytes) {
    int chunk = ChunkDirectoryLayout.chunk(index);
    return chunkAddress(words, directory, chunk)
        + (index - ChunkDirectoryLayout.firstUnit(chunk)) * unitBytes;
  }

  /** Returns the address of a chunk that is there. */
  public static long chunkAddress(Words words, long directory, int chunk) {
    long entry = directory + (long) chunk * Long.BYTES;
    return StoredNumbers.block(
        words, words.getUnchecked(entry), Long.BYTES, entry, "a chunk of an array");
  }

  /** Makes sure that the chunk of a unit is there, with any contents. */
  public static void require(Words words, long directory, long index, long unitBytes) {
    long entry = directory + (long) ChunkDirectoryLayout.chunk(index) * Long.BYTES;
    if (words.getUnchecked(entry) == 0) {
      long bytes = ChunkDirectoryLayout.units(ChunkDirectoryLayout.chunk(index)) * unitBytes;
      words.putUnchecked(entry, words.heap.allocateUncleared(bytes));
    }
  }

  /** Shows the blocks of all chunks. */
  public static void visitBlocks(Words words, long directory, LongConsumer blocks) {
    for (int chunk = 0; chunk < ChunkDirectoryLayout.CHUNKS; chunk++) {
      long address = words.getUnchecked(directory + (long) chunk * Long.BYTES);
      if (address != 0) {
        blocks.accept(address);
      }
    }
  }

  /** Frees the chunks from one on. */
  public static void free(Words words, long directory, int from) {
    for (int chunk = from; chunk < ChunkDirectoryLayout.CHUNKS; chunk++) {
      long entry = directory + (long) chunk * Long.BYTES;
      long address = words.getUnchecked(entry);
      if (address != 0) {
        words.heap.free(address);
        words.putUnchecked(entry, 0);
      }
    }
  }
}

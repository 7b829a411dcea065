package io.howdah.collections.structure;

import static io.howdah.core.layout.ChunkDirectoryLayout.CHUNKS;
import static io.howdah.core.layout.ChunkDirectoryLayout.PIECE_BYTES;
import static io.howdah.core.layout.ChunkDirectoryLayout.PIECE_SHIFT;
import static io.howdah.core.layout.ChunkDirectoryLayout.TABLE_BYTES;
import static io.howdah.core.layout.ChunkDirectoryLayout.TABLE_SHIFT;

import io.howdah.core.layout.ChunkDirectoryLayout;
import io.howdah.txn.words.Words;
import java.util.function.LongConsumer;

/**
 * An array in the region that grows without being copied: chunks, each as long as all before it
 * together, from a directory of addresses. A chunk longer than 64 KiB consists of pieces of 64 KiB,
 * which are allocated one by one; see {@link ChunkDirectoryLayout}.
 */
public final class DoublingChunks {

  private DoublingChunks() {}

  /** Returns the address of a unit whose piece is there. */
  public static long address(Words words, long directory, long index, long unitBytes) {
    int chunk = ChunkDirectoryLayout.chunk(index);
    long offset = (index - ChunkDirectoryLayout.firstUnit(chunk)) * unitBytes;
    long at = directory + (long) chunk * Long.BYTES;
    for (int level = levels(chunk, unitBytes); level > 0; level--) {
      at = part(words, at, level, offset);
    }
    return block(words, at, Long.BYTES) + (offset & (PIECE_BYTES - 1));
  }

  /** Returns the first unit after the block that contains a unit. */
  public static long end(long index, long unitBytes) {
    int chunk = ChunkDirectoryLayout.chunk(index);
    long first = ChunkDirectoryLayout.firstUnit(chunk);
    long perPiece = Math.min(ChunkDirectoryLayout.units(chunk), PIECE_BYTES / unitBytes);
    return first + ((index - first) / perPiece + 1) * perPiece;
  }

  /** Ensures that the block of a unit exists. Its contents are undefined. */
  public static void require(Words words, long directory, long index, long unitBytes) {
    int chunk = ChunkDirectoryLayout.chunk(index);
    long offset = (index - ChunkDirectoryLayout.firstUnit(chunk)) * unitBytes;
    long at = directory + (long) chunk * Long.BYTES;
    for (int level = levels(chunk, unitBytes); level > 0; level--) {
      if (words.getUnchecked(at) == 0) {
        words.putUnchecked(at, words.heap.allocate(TABLE_BYTES));
      }
      at = part(words, at, level, offset);
    }
    if (words.getUnchecked(at) == 0) {
      long bytes = Math.min(PIECE_BYTES, ChunkDirectoryLayout.units(chunk) * unitBytes);
      words.putUnchecked(at, words.heap.allocateUncleared(bytes));
    }
  }

  /** Shows all blocks. A block is not read after it was shown. */
  public static void visitBlocks(Words words, long directory, long unitBytes, LongConsumer blocks) {
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      long at = directory + (long) chunk * Long.BYTES;
      visit(words, at, levels(chunk, unitBytes), blocks);
    }
  }

  private static void visit(Words words, long at, int level, LongConsumer blocks) {
    if (words.getUnchecked(at) == 0) {
      return;
    }
    long block = block(words, at, level == 0 ? Long.BYTES : TABLE_BYTES);
    if (level > 0) {
      for (long part = 0; part < TABLE_BYTES; part += Long.BYTES) {
        visit(words, block + part, level - 1, blocks);
      }
    }
    blocks.accept(block);
  }

  /** Frees the blocks in which no unit before one is. */
  public static void free(Words words, long directory, long from, long unitBytes) {
    for (int chunk = ChunkDirectoryLayout.chunk(from); chunk < CHUNKS; chunk++) {
      long first = ChunkDirectoryLayout.firstUnit(chunk);
      long at = directory + (long) chunk * Long.BYTES;
      free(words, at, levels(chunk, unitBytes), Math.max(0, from - first) * unitBytes);
    }
  }

  /** Frees the blocks after an offset in the part to which a word refers. */
  private static void free(Words words, long at, int level, long offset) {
    if (words.getUnchecked(at) == 0) {
      return;
    }
    if (level > 0) {
      int shift = shift(level);
      long table = block(words, at, TABLE_BYTES);
      for (long part = offset >>> shift; part < 1 << TABLE_SHIFT; part++) {
        long left = Math.max(0, offset - (part << shift));
        free(words, table + part * Long.BYTES, level - 1, left);
      }
    }
    if (offset == 0) {
      words.heap.free(words.getUnchecked(at));
      words.putUnchecked(at, 0);
    }
  }

  private static int levels(int chunk, long unitBytes) {
    return ChunkDirectoryLayout.levels(ChunkDirectoryLayout.units(chunk) * unitBytes);
  }

  /** Returns the base-two logarithm of the number of bytes that a word of a table represents. */
  private static int shift(int level) {
    return PIECE_SHIFT + TABLE_SHIFT * (level - 1);
  }

  /** Returns the address of the word of a table that leads to an offset of its chunk. */
  private static long part(Words words, long at, int level, long offset) {
    long index = (offset >>> shift(level)) & ((1 << TABLE_SHIFT) - 1);
    return block(words, at, TABLE_BYTES) + index * Long.BYTES;
  }

  private static long block(Words words, long at, int bytes) {
    return StoredNumbers.block(words, words.getUnchecked(at), bytes, at, "a chunk of an array");
  }
}

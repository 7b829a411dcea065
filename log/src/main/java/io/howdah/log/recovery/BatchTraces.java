package io.howdah.log.recovery;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Searches for batches in places that must not contain any: after the end of a chain, in a segment
 * without a valid header, or in a segment of a later generation than the superblock's.
 *
 * <p>Only a whole batch with a valid checksum counts. A page that starts like a batch proves
 * nothing: the data of an application may contain a copy of a log, and pages of an interrupted
 * batch may show that copy.
 */
final class BatchTraces {

  /** Number of bytes of one read in which batches may start. */
  private static final int SPAN_BYTES = 1 << 20;

  private final Storage storage;
  private final LogIdentity identity;
  private final int partitions;
  private final StagingMemory memory;
  private @Nullable ByteBuffer span;

  BatchTraces(Storage storage, LogIdentity identity, int partitions, StagingMemory memory) {
    this.storage = storage;
    this.identity = identity;
    this.partitions = partitions;
    this.memory = memory;
  }

  /**
   * Returns the offset in a file of a batch that is later than a given batch, or -1.
   *
   * @param from offset at which the search begins, a multiple of {@link BatchLayout#ALIGNMENT}
   * @param sequence of the given batch, in {@code generation}
   * @param lastGeneration largest generation of a batch that counts
   */
  long firstAfter(String name, long from, long generation, long sequence, long lastGeneration) {
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      long end = Alignment.down(file.sizeBytes(), BatchLayout.ALIGNMENT);
      ByteBuffer block = block(end - from);
      for (long offset = from; offset < end; offset += SPAN_BYTES) {
        int run = (int) Math.min(SPAN_BYTES, end - offset);
        int length = file.read(offset, block.clear().limit(run));
        for (int at = 0; at + BatchLayout.ALIGNMENT <= length; at += BatchLayout.ALIGNMENT) {
          if (isLater(block, at, end - offset - at, generation, sequence, lastGeneration)
              && isWhole(file, block, offset, at, length)) {
            return offset + at;
          }
        }
        if (length < run) {
          break;
        }
      }
      return -1;
    }
  }

  /** Returns whether a batch of this generation and sequence starts at an offset, whole or not. */
  boolean isBegun(String name, long offset, long generation, long sequence) {
    ByteBuffer block = block(BatchLayout.ALIGNMENT);
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      int length = file.read(offset, block.clear().limit(BatchLayout.ALIGNMENT));
      return length == BatchLayout.ALIGNMENT
          && Batch.isBegun(block, 0, identity.storeTag(), generation)
          && Batch.sequence(block, 0) == sequence
          && Batch.isPlausible(block, 0, partitions, file.sizeBytes() - offset);
    }
  }

  /**
   * Returns a buffer for one read of a part of a file: a span, and the rest of a batch that begins
   * in it. It is allocated at the first search, since most openings need none.
   */
  private ByteBuffer block(long partBytes) {
    int needed = (int) Math.min(partBytes, SPAN_BYTES + BatchLayout.MAX_LENGTH);
    ByteBuffer block = span;
    if (block == null || block.capacity() < needed) {
      // At least twice as long as the one before. Buffers are freed at the end of the recovery, so
      // only a few may be allocated.
      int twice = block == null ? 0 : 2 * block.capacity();
      block =
          memory.allocate(Math.max(needed, Math.min(twice, SPAN_BYTES + BatchLayout.MAX_LENGTH)));
      span = block;
    }
    return block;
  }

  private boolean isLater(
      ByteBuffer block,
      int at,
      long roomBytes,
      long generation,
      long sequence,
      long lastGeneration) {
    long found = block.getLong(at + BatchLayout.GENERATION_OFFSET);
    return found >= generation
        && found <= lastGeneration
        && Batch.isBegun(block, at, identity.storeTag(), found)
        && (found > generation || Batch.sequence(block, at) > sequence)
        && Batch.isPlausible(block, at, partitions, roomBytes);
  }

  /** Returns whether a batch of a plausible length is whole. Reads its rest if necessary. */
  private boolean isWhole(StorageFile file, ByteBuffer block, long offset, int at, int length) {
    int batchLength = Batch.length(block, at);
    int missing = at + Batch.padded(batchLength) - length;
    if (missing > 0) {
      file.read(offset + length, block.limit(length + missing).position(length));
    }
    return Batch.hasValidChecksum(block, at, batchLength);
  }
}

package io.howdah.log.recovery;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;

/**
 * Looks for traces of batches in a file that should have none: a segment whose header is gone, or
 * that is of a later generation than the superblock knows.
 */
final class BatchTraces {

  private static final int BLOCK_BYTES = 1 << 20;

  private final Storage storage;
  private final LogIdentity identity;
  private final ByteBuffer block;

  BatchTraces(Storage storage, LogIdentity identity, StagingMemory memory) {
    this.storage = storage;
    this.identity = identity;
    this.block = memory.allocate(BLOCK_BYTES);
  }

  /**
   * Returns where in a file a batch begins that is later than a batch of a generation, or -1.
   *
   * @param sequence of the last batch known of {@code generation}
   */
  long firstAfter(String name, long generation, long sequence) {
    try (StorageFile file = storage.open(name, Storage.Access.READ)) {
      for (long offset = SegmentLayout.HEADER_LENGTH; ; offset += BLOCK_BYTES) {
        int length = file.read(offset, block.clear());
        for (int at = 0; at + BatchLayout.ALIGNMENT <= length; at += BatchLayout.ALIGNMENT) {
          if (isAfter(at, generation, sequence)) {
            return offset + at;
          }
        }
        if (length < BLOCK_BYTES) {
          return -1;
        }
      }
    }
  }

  private boolean isAfter(int at, long generation, long sequence) {
    long found = block.getLong(at + BatchLayout.GENERATION_OFFSET);
    return found >= generation
        && Batch.isBegun(block, at, identity.storeTag(), found)
        && (found > generation || Batch.sequence(block, at) > sequence);
  }
}

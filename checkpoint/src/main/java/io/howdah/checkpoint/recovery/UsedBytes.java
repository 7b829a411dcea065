package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.ImageFile;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.recovery.LogRecovery;
import java.nio.ByteBuffer;

/**
 * Determines the end of a store's data before the region is mapped: in the image, and in the words
 * of the log, which is read an additional time for this. Changes nothing.
 */
final class UsedBytes {

  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  /** Minimum length of a region. */
  private static final long MIN_BYTES = 1 << 16;

  private long top = MIN_BYTES;

  private UsedBytes() {}

  /**
   * Returns the number of bytes, rounded up to whole pages, at most the region's capacity.
   *
   * @param superblock the store's state; if a journal is not folded, the state before its
   *     checkpoint, since the image does not have the checkpoint's pages yet
   */
  static long of(
      Storage storage, Execution execution, Superblock superblock, Checkpointer checkpointer) {
    UsedBytes used = new UsedBytes();
    used.image(storage, checkpointer.imageEnd());
    LogRecovery.read(storage, execution, superblock, used::record);
    // A larger value is damaged; the code that uses it later reports the damage.
    return Alignment.up(Math.min(used.top, superblock.geometry().maxSizeBytes()), PAGE_BYTES);
  }

  private void image(Storage storage, long imageEnd) {
    top = Math.max(top, imageEnd);
    if (imageEnd == 0) {
      return;
    }
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ)) {
      ByteBuffer page = memory.allocate(PAGE_BYTES);
      if (file.read(0, page) == PAGE_BYTES) {
        // Blocks that were allocated and never written reach beyond the image.
        top = Math.max(top, page.getLong(RegionHeaderLayout.TOP_ADDRESS));
      }
    }
  }

  private void record(ByteBuffer source, int from, int to) {
    for (int at = from; at < to; ) {
      long address = RedoRecordLayout.entryAddress(source.getLong(at));
      int words = RedoRecordLayout.entryRun(source.getLong(at));
      at += Long.BYTES;
      long topAt = RegionHeaderLayout.TOP_ADDRESS - address;
      if (topAt >= 0 && topAt < (long) words * Region.WORD_BYTES) {
        top = Math.max(top, source.getLong(at + (int) topAt));
      }
      top = Math.max(top, address + (long) words * Region.WORD_BYTES);
      at += words * Region.WORD_BYTES;
    }
  }
}

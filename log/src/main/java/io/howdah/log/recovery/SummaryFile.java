package io.howdah.log.recovery;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.SegmentNames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A valid summary of the log, from a file of the store. There are two files, which are written
 * alternately and never forced. So a summary may be missing, but an existing one names what was
 * durable before its first byte was written (docs/instant-open.md, I9).
 *
 * @param name of the file
 * @param shortcut the place in the log that the summary names
 * @param bytes the contents of the file; in memory of the caller
 */
public record SummaryFile(String name, LogShortcut shortcut, ByteBuffer bytes) {

  /** Number of files. */
  public static final int FILES = 2;

  /** For 128 GiB of region. A longer map would take too long to write for each segment. */
  public static final int MAX_MAP_WORDS = 1 << 19;

  /** Returns the name of a file, by its number. */
  public static String name(int file) {
    return SegmentNames.LOG_DIRECTORY + "/summary-" + file;
  }

  /**
   * Returns the valid summaries of a store. A summary that cannot be read counts as missing, since
   * a store never depends on one.
   */
  public static List<SummaryFile> readAll(
      Storage storage, Superblock superblock, StagingMemory memory) {
    List<SummaryFile> found = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      SummaryFile summary = read(storage, superblock, name(file), memory);
      if (summary != null) {
        found.add(summary);
      }
    }
    return found;
  }

  private static @Nullable SummaryFile read(
      Storage storage, Superblock superblock, String name, StagingMemory memory) {
    try {
      return storage.exists(name) ? readExisting(storage, superblock, name, memory) : null;
    } catch (StorageException | OutOfMemoryError e) {
      return null;
    }
  }

  private static @Nullable SummaryFile readExisting(
      Storage storage, Superblock superblock, String name, StagingMemory memory) {
    try (StorageFile source = storage.open(name, Storage.Access.READ)) {
      ByteBuffer head = memory.allocate(LogSummaryLayout.MAP_OFFSET);
      long pages = superblock.geometry().maxSizeBytes() / superblock.geometry().pageBytes();
      if (source.read(0, head) < LogSummaryLayout.MAP_OFFSET
          || head.getLong(LogSummaryLayout.MAGIC_OFFSET) != LogSummaryLayout.MAGIC
          || head.getInt(LogSummaryLayout.VERSION_OFFSET) != LogSummaryLayout.VERSION
          || head.getInt(LogSummaryLayout.PAGE_BYTES_OFFSET) != superblock.geometry().pageBytes()
          || head.getLong(LogSummaryLayout.STORE_ID_HIGH_OFFSET) != superblock.storeId().high()
          || head.getLong(LogSummaryLayout.STORE_ID_LOW_OFFSET) != superblock.storeId().low()) {
        return null;
      }
      long mapWords = head.getLong(LogSummaryLayout.MAP_WORDS_OFFSET);
      if (mapWords < 0 || mapWords > pages / Long.SIZE + 1 || mapWords > MAX_MAP_WORDS) {
        return null;
      }
      int length = (int) LogSummaryLayout.length(mapWords);
      ByteBuffer bytes = memory.allocate(length);
      if (source.read(0, bytes) < length
          || bytes.getInt(LogSummaryLayout.CRC_OFFSET)
              != Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, length)) {
        return null;
      }
      return new SummaryFile(
          name,
          new LogShortcut(
              bytes.getLong(LogSummaryLayout.GENERATION_OFFSET),
              bytes.getLong(LogSummaryLayout.SEGMENT_OFFSET),
              bytes.getLong(LogSummaryLayout.BATCH_OFFSET),
              bytes.getLong(LogSummaryLayout.SINCE_OFFSET),
              bytes.getLong(LogSummaryLayout.REPLAY_ABOVE_OFFSET),
              bytes.getLong(LogSummaryLayout.IMAGE_LSN_OFFSET),
              new BatchId(
                  bytes.getLong(LogSummaryLayout.LAST_BATCH_OFFSET),
                  bytes.getInt(LogSummaryLayout.LAST_BATCH_CRC_OFFSET))),
          bytes);
    }
  }
}

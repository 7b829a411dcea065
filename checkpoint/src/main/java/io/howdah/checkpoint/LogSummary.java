package io.howdah.checkpoint;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;
import io.howdah.log.recovery.LogShortcut;
import io.howdah.log.recovery.SummaryFile;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A summary of the log that an open store writes periodically, so that the next opening can serve
 * before it has read the whole log (docs/instant-open.md, section 8). A missing or damaged summary
 * only makes the opening slower. Every opening verifies a valid summary against the log.
 *
 * @param shortcut the position from which the opening reads the log
 * @param header the region's first {@value LogSummaryLayout#REGION_HEADER_LENGTH} bytes, as words;
 *     not copied
 * @param map a bit for each page that the log before the shortcut touches; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record LogSummary(LogShortcut shortcut, long[] header, long[] map) {

  /** Writes the summary to one of the files, without a force. */
  void write(Storage storage, Superblock superblock, int file) {
    String name = SummaryFile.name(file);
    try (StagingMemory memory = StagingMemory.confined()) {
      int length = (int) LogSummaryLayout.length(map.length);
      ByteBuffer bytes = memory.allocate(length);
      bytes
          .putLong(LogSummaryLayout.MAGIC_OFFSET, LogSummaryLayout.MAGIC)
          .putInt(LogSummaryLayout.VERSION_OFFSET, LogSummaryLayout.VERSION)
          .putInt(LogSummaryLayout.PAGE_BYTES_OFFSET, superblock.geometry().pageBytes())
          .putLong(LogSummaryLayout.STORE_ID_HIGH_OFFSET, superblock.storeId().high())
          .putLong(LogSummaryLayout.STORE_ID_LOW_OFFSET, superblock.storeId().low())
          .putLong(LogSummaryLayout.GENERATION_OFFSET, shortcut.generation())
          .putLong(LogSummaryLayout.SEGMENT_OFFSET, shortcut.segment())
          .putLong(LogSummaryLayout.BATCH_OFFSET, shortcut.batch())
          .putLong(LogSummaryLayout.SINCE_OFFSET, shortcut.sinceLsn())
          .putLong(LogSummaryLayout.REPLAY_ABOVE_OFFSET, shortcut.replayAboveLsn())
          .putLong(LogSummaryLayout.IMAGE_LSN_OFFSET, shortcut.imageLsn())
          .putLong(LogSummaryLayout.MAP_WORDS_OFFSET, map.length)
          .putLong(LogSummaryLayout.LAST_BATCH_OFFSET, shortcut.lastBatch().sequence())
          .putInt(LogSummaryLayout.LAST_BATCH_CRC_OFFSET, shortcut.lastBatch().crc());
      putWords(bytes, LogSummaryLayout.REGION_HEADER_OFFSET, header);
      putWords(bytes, LogSummaryLayout.MAP_OFFSET, map);
      bytes.putInt(
          LogSummaryLayout.CRC_OFFSET, Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, length));
      try (StorageFile target =
          storage.exists(name)
              ? storage.open(name, Storage.Access.READ_WRITE)
              : storage.create(name)) {
        target.write(0, bytes.position(0).limit(length));
      }
    }
  }

  private static void putWords(ByteBuffer bytes, int at, long[] words) {
    for (int i = 0; i < words.length; i++) {
      bytes.putLong(at + i * Long.BYTES, words[i]);
    }
  }

  private static long[] words(ByteBuffer bytes, int at, int count) {
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = bytes.getLong(at + i * Long.BYTES);
    }
    return words;
  }

  /**
   * Returns the newest summary that an opening can use: it is valid, of this store, of a generation
   * in the log, and newer than the checkpoint. Null if there is none. A summary that cannot be read
   * counts as missing.
   */
  public static @Nullable LogSummary newest(Storage storage, Superblock superblock) {
    try (StagingMemory memory = StagingMemory.confined()) {
      SummaryFile newest = null;
      for (SummaryFile found : SummaryFile.readAll(storage, superblock, memory)) {
        if (found.shortcut().isOf(superblock)
            && (newest == null
                || found.shortcut().replayAboveLsn() > newest.shortcut().replayAboveLsn())) {
          newest = found;
        }
      }
      return newest == null ? null : of(newest);
    }
  }

  private static LogSummary of(SummaryFile file) {
    ByteBuffer bytes = file.bytes();
    return new LogSummary(
        file.shortcut(),
        words(
            bytes,
            LogSummaryLayout.REGION_HEADER_OFFSET,
            LogSummaryLayout.REGION_HEADER_LENGTH / Long.BYTES),
        words(
            bytes,
            LogSummaryLayout.MAP_OFFSET,
            (int) bytes.getLong(LogSummaryLayout.MAP_WORDS_OFFSET)));
  }

  /**
   * Deletes the summaries, durably, because they are wrong or belong to another store. Idempotent.
   * A summary that cannot be deleted is verified against the log again by each opening.
   */
  public static void deleteAll(Storage storage) {
    for (int file = 0; file < SummaryFile.FILES; file++) {
      String name = SummaryFile.name(file);
      quietly(() -> storage.delete(name));
    }
    quietly(() -> storage.forceDirectory(SegmentNames.LOG_DIRECTORY));
  }

  @SuppressWarnings("EmptyCatch")
  private static void quietly(Runnable action) {
    try {
      action.run();
    } catch (StorageException e) {
      // A store does not depend on summaries: neither on one that exists, nor on one that does not.
    }
  }
}

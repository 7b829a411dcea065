package io.howdah.checkpoint;

import io.howdah.core.StoreId;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first page of a journal.
 *
 * @param imageEnd end of the part of the image that was ever written, in bytes
 * @param witnesses some pages of this checkpoint, which differ in an older image; at most {@value
 *     io.howdah.core.layout.JournalLayout#MAX_WITNESSES}
 */
record JournalHeader(
    int version,
    int pageBytes,
    StoreId storeId,
    long checkpoint,
    long replayAboveLsn,
    long pageCount,
    long imageEnd,
    List<Witness> witnesses) {

  /** Returns the header in a page, or null if the page contains no valid one. */
  static @Nullable JournalHeader read(ByteBuffer page) {
    if (page.limit() < JournalLayout.HEADER_LENGTH
        || page.getLong(JournalLayout.MAGIC_OFFSET) != JournalLayout.MAGIC
        || page.getInt(JournalLayout.CRC_OFFSET) != crc(page)) {
      return null;
    }
    long high = page.getLong(JournalLayout.STORE_ID_HIGH_OFFSET);
    long low = page.getLong(JournalLayout.STORE_ID_LOW_OFFSET);
    if (high == 0 && low == 0) {
      return null; // no store has this id
    }
    return new JournalHeader(
        page.getInt(JournalLayout.VERSION_OFFSET),
        page.getInt(JournalLayout.PAGE_BYTES_OFFSET),
        new StoreId(high, low),
        page.getLong(JournalLayout.CHECKPOINT_OFFSET),
        page.getLong(JournalLayout.REPLAY_ABOVE_OFFSET),
        page.getLong(JournalLayout.PAGE_COUNT_OFFSET),
        page.getLong(JournalLayout.IMAGE_END_OFFSET),
        Witness.read(page));
  }

  /** Fills a page of zeros with this header. */
  void write(ByteBuffer page) {
    page.putLong(JournalLayout.MAGIC_OFFSET, JournalLayout.MAGIC)
        .putInt(JournalLayout.VERSION_OFFSET, version)
        .putInt(JournalLayout.PAGE_BYTES_OFFSET, pageBytes)
        .putLong(JournalLayout.STORE_ID_HIGH_OFFSET, storeId.high())
        .putLong(JournalLayout.STORE_ID_LOW_OFFSET, storeId.low())
        .putLong(JournalLayout.CHECKPOINT_OFFSET, checkpoint)
        .putLong(JournalLayout.REPLAY_ABOVE_OFFSET, replayAboveLsn)
        .putLong(JournalLayout.PAGE_COUNT_OFFSET, pageCount)
        .putLong(JournalLayout.IMAGE_END_OFFSET, imageEnd);
    Witness.write(witnesses, page);
    page.putInt(JournalLayout.CRC_OFFSET, crc(page));
  }

  private static int crc(ByteBuffer page) {
    return Crc32c.around(page, JournalLayout.CRC_OFFSET, JournalLayout.HEADER_LENGTH);
  }
}

package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The checksum of a page as a checkpoint has left it. It proves that an image belongs to that
 * checkpoint. The file of checksums does not prove this: an image that was restored from an earlier
 * time, together with its checksums, is consistent.
 *
 * @param page index of the page
 * @param crc32c checksum of the page
 */
record Witness(long page, int crc32c) {

  /**
   * Adds a witness to a list. If the list has the maximum length, the oldest one of its second half
   * is dropped; the first half stays.
   */
  static void add(List<Witness> witnesses, Witness next) {
    if (witnesses.size() == JournalLayout.MAX_WITNESSES) {
      witnesses.remove(JournalLayout.MAX_WITNESSES / 2);
    }
    witnesses.add(next);
  }

  /** Reads the witnesses in the first page of a journal. */
  static List<Witness> read(ByteBuffer page) {
    List<Witness> witnesses = new ArrayList<>();
    int count = page.getInt(JournalLayout.WITNESS_COUNT_OFFSET);
    for (int i = 0; i < Math.min(count, JournalLayout.MAX_WITNESSES); i++) {
      int at = JournalLayout.WITNESSES_OFFSET + i * JournalLayout.WITNESS_LENGTH;
      witnesses.add(
          new Witness(
              page.getLong(at + JournalLayout.WITNESS_PAGE_OFFSET),
              page.getInt(at + JournalLayout.WITNESS_CRC_OFFSET)));
    }
    return witnesses;
  }

  /** Writes witnesses to the first page of a journal. */
  static void write(List<Witness> witnesses, ByteBuffer page) {
    page.putInt(JournalLayout.WITNESS_COUNT_OFFSET, witnesses.size());
    for (int i = 0; i < witnesses.size(); i++) {
      int at = JournalLayout.WITNESSES_OFFSET + i * JournalLayout.WITNESS_LENGTH;
      page.putLong(at + JournalLayout.WITNESS_PAGE_OFFSET, witnesses.get(i).page())
          .putInt(at + JournalLayout.WITNESS_CRC_OFFSET, witnesses.get(i).crc32c());
    }
  }

  /**
   * Verifies the page of an image against this checksum.
   *
   * @throws CorruptStoreException if it differs
   */
  void require(ByteBuffer bytes) {
    if (Crc32c.of(bytes, 0, bytes.capacity()) != crc32c) {
      throw new CorruptStoreException(
          ImageFile.NAME,
          page * bytes.capacity(),
          "page "
              + page
              + " is not as the newest checkpoint has left it: image and "
              + ImageSums.NAME
              + " are older than the store; put back those that belong here, or restore the store"
              + " from a backup");
    }
  }
}

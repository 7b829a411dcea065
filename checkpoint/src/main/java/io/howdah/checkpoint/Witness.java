package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A page as a checkpoint has left it, which shows whether the image is of that checkpoint: an image
 * that was put back from an earlier time, with the checksums of that time, is whole in itself.
 *
 * @param page its index
 * @param crc32c of its bytes
 */
record Witness(long page, int crc32c) {

  /** Adds one to at most as many as a journal holds: the first half stays, the other moves on. */
  static void add(List<Witness> witnesses, Witness next) {
    if (witnesses.size() == JournalLayout.MAX_WITNESSES) {
      witnesses.remove(JournalLayout.MAX_WITNESSES / 2);
    }
    witnesses.add(next);
  }

  /** Reads those in a journal's first page. */
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

  /** Writes some to a journal's first page. */
  static void write(List<Witness> witnesses, ByteBuffer page) {
    page.putInt(JournalLayout.WITNESS_COUNT_OFFSET, witnesses.size());
    for (int i = 0; i < witnesses.size(); i++) {
      int at = JournalLayout.WITNESSES_OFFSET + i * JournalLayout.WITNESS_LENGTH;
      page.putLong(at + JournalLayout.WITNESS_PAGE_OFFSET, witnesses.get(i).page())
          .putInt(at + JournalLayout.WITNESS_CRC_OFFSET, witnesses.get(i).crc32c());
    }
  }

  /**
   * Holds the image's page to this.
   *
   * @throws CorruptStoreException if it is another
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

package io.howdah.txn.stm;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.txn.words.WriteSet;
import io.howdah.txn.words.WrittenRows;

/**
 * Turns a write set into redo records. Single words that follow one another, in the order they were
 * first written, share an entry; so do the words of a row. Only a record of a whole write set has
 * rows.
 */
final class RedoRecords {

  private RedoRecords() {}

  /** Returns the length of the one record that would hold the whole write set. */
  static long lengthBytes(WriteSet writes) {
    int count = writes.singles();
    long words = (long) count + runs(writes, 0, count) + writes.rows().end();
    return RedoRecordLayout.MIN_LENGTH + words * Long.BYTES;
  }

  /** Returns the length of a record of some entries of the write set, without a prefix. */
  static int lengthBytes(WriteSet writes, int from, int to) {
    return RedoRecordLayout.MIN_LENGTH + (to - from + runs(writes, from, to)) * Long.BYTES;
  }

  /** Returns the end of the longest stretch from an entry on whose record is not too long. */
  static int endOfPart(WriteSet writes, int from, int maxBytes) {
    int room = (maxBytes - RedoRecordLayout.MIN_LENGTH) / Long.BYTES;
    int count = writes.singles();
    int end = from;
    while (end < count) {
      room -= end != from && follows(writes, end) ? 1 : 2;
      if (room < 0) {
        break;
      }
      end++;
    }
    return end;
  }

  /** Returns how many runs of neighbouring single words a stretch has. */
  static int runs(WriteSet writes, int from, int to) {
    int runs = 0;
    long next = -1;
    for (int i = from; i < to; i++) {
      long address = writes.address(i);
      if (address != next) {
        runs++;
      }
      next = address + Long.BYTES;
    }
    return runs;
  }

  /**
   * Returns how many runs there are in the last record of a transaction, whose length is known.
   *
   * @param words how many words it has, those of rows included
   */
  static int runs(int recordBytes, int parts, int words) {
    int prefix = parts == 0 ? 0 : RedoRecordLayout.PARTED_PREFIX_BYTES;
    return (recordBytes - prefix - RedoRecordLayout.MIN_LENGTH) / Long.BYTES - words;
  }

  /** Puts the entries of a stretch into a record that has been begun. */
  static void put(Lane lane, WriteSet writes, int from, int to) {
    int i = from;
    while (i < to) {
      int end = i + 1;
      while (end < to && follows(writes, end)) {
        end++;
      }
      lane.put(RedoRecordLayout.entryHead(writes.address(i), end - i));
      for (; i < end; i++) {
        lane.put(writes.value(i));
      }
    }
    WrittenRows rows = writes.rows();
    if (!rows.isEmpty()) {
      lane.put(rows.array(), rows.end());
    }
  }

  private static boolean follows(WriteSet writes, int entry) {
    return writes.address(entry) == writes.address(entry - 1) + Long.BYTES;
  }
}

package io.howdah.log.recovery;

import io.howdah.core.layout.RedoRecordLayout;
import java.nio.ByteBuffer;

/** The after-images in a record: checks them against the region, then passes them to a sink. */
final class RecordEntries {

  private RecordEntries() {}

  /**
   * Checks all entries of a record, then passes them to a sink.
   *
   * @param capacityBytes of the region, in which every entry must lie
   * @return the number of words
   * @throws MalformedRecordException if the entries do not fill the record, or exceed the region
   */
  static long replay(ByteBuffer source, int record, long capacityBytes, RedoSink sink) {
    int from = start(source.getLong(record), record);
    long words = check(source, record, capacityBytes);
    if (words > 0) {
      sink.redo(source, from, end(source.getLong(record), record));
    }
    return words;
  }

  private static int start(long head, int record) {
    int at = record + RedoRecordLayout.ENTRIES_OFFSET;
    return RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_MULTIPART_COMMIT
        ? at + RedoRecordLayout.MULTIPART_PREFIX_BYTES
        : at;
  }

  private static int end(long head, int record) {
    return record + RedoRecordLayout.length(head) - RedoRecordLayout.CHECKSUM_BYTES;
  }

  /**
   * Checks a record's entries.
   *
   * @return the number of their words
   * @throws MalformedRecordException if the entries do not fill the record, or exceed the region
   */
  static long check(ByteBuffer source, int record, long capacityBytes) {
    long head = source.getLong(record);
    int end = end(head, record);
    int at = start(head, record);
    int left = RedoRecordLayout.count(head);
    // An entry is a head, which is one word, and the words themselves.
    long words = ((end - at) >> 3) - (long) left;
    for (; left > 0; left--) {
      if (end - at < 2 * Long.BYTES) {
        throw new MalformedRecordException(at, "the record ends before its last entry");
      }
      long entry = source.getLong(at);
      int run = RedoRecordLayout.entryRun(entry);
      int room = ((end - at) >> 3) - 1;
      // The address has 51 bits at most: no overflow.
      if (run == 0
          || run > room
          || RedoRecordLayout.entryAddress(entry) + ((long) run << 3) > capacityBytes) {
        throw misfit(at, entry, capacityBytes);
      }
      at += Long.BYTES + (run << 3);
    }
    if (at != end) {
      throw new MalformedRecordException(at, "bytes after the record's last entry");
    }
    return words;
  }

  private static MalformedRecordException misfit(int at, long entry, long capacityBytes) {
    return new MalformedRecordException(
        at,
        "entry of "
            + RedoRecordLayout.entryRun(entry)
            + " words at address "
            + RedoRecordLayout.entryAddress(entry)
            + " in a region of "
            + capacityBytes
            + " bytes");
  }
}

package io.howdah.log.recovery;

import io.howdah.core.layout.RedoRecordLayout;
import java.nio.ByteBuffer;

/** The after-images in a record: checked against the region, then handed on. */
final class RecordEntries {

  private RecordEntries() {}

  /**
   * Hands a record's entries to a sink.
   *
   * @param capacityBytes of the region, which every entry must lie within
   * @return how many words
   * @throws MalformedRecordException if entries and record do not fit each other or the region
   */
  static long replay(ByteBuffer source, int record, long capacityBytes, RedoSink sink) {
    long head = source.getLong(record);
    int end = record + RedoRecordLayout.length(head) - RedoRecordLayout.CHECKSUM_BYTES;
    int at = record + RedoRecordLayout.ENTRIES_OFFSET;
    if (RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_PARTED_COMMIT) {
      at += RedoRecordLayout.PARTED_PREFIX_BYTES;
    }
    long words = 0;
    for (int count = RedoRecordLayout.count(head); count > 0; count--) {
      if (end - at < 2 * Long.BYTES) {
        throw new MalformedRecordException(at, "the record ends before its last entry");
      }
      long entry = source.getLong(at);
      long address = RedoRecordLayout.entryAddress(entry);
      int run = RedoRecordLayout.entryRun(entry);
      at += Long.BYTES;
      // The address has 51 bits at most: no overflow.
      if (run == 0 || run > (end - at) >> 3 || address + ((long) run << 3) > capacityBytes) {
        throw new MalformedRecordException(
            at - Long.BYTES,
            "entry of "
                + run
                + " words at address "
                + address
                + " in a region of "
                + capacityBytes
                + " bytes");
      }
      sink.redo(address, source, at, run);
      at += run << 3;
      words += run;
    }
    if (at != end) {
      throw new MalformedRecordException(at, "bytes after the record's last entry");
    }
    return words;
  }

  /** A sink for checking only. */
  static void ignore(long address, ByteBuffer source, int at, int words) {}
}

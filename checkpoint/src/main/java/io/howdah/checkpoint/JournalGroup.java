package io.howdah.checkpoint;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One group of a journal in memory ({@link JournalLayout}). {@link Journal} fills it to write a
 * journal, or reads it. Its buffer has a quarter of a megabyte. Owned by one thread.
 */
final class JournalGroup {

  private final int pageBytes;
  private final int lineBytes;
  private final long allLines;
  private final ByteBuffer bytes;

  private final int[] deltas;
  private final int[] crcs;
  private final long[] lines;

  private long firstPage;
  private int count;
  private int dataLength;

  JournalGroup(StagingMemory memory, int pageBytes) {
    this.pageBytes = pageBytes;
    this.lineBytes = JournalLayout.lineBytes(pageBytes);
    this.allLines = JournalLayout.allLines(pageBytes);
    this.bytes = memory.allocate(JournalLayout.MAX_GROUP_LENGTH);
    int maxCount =
        (JournalLayout.MAX_GROUP_LENGTH - JournalLayout.GROUP_HEADER_LENGTH)
            / (lineBytes + JournalLayout.ENTRY_LENGTH);
    this.deltas = new int[maxCount];
    this.crcs = new int[maxCount];
    this.lines = new long[maxCount];
  }

  /** Returns the buffer. */
  ByteBuffer bytes() {
    return bytes;
  }

  int count() {
    return count;
  }

  // ---- Filling.

  void clear() {
    count = 0;
    dataLength = 0;
    bytes.clear(); // the group before has set its limit, and this one may be longer
  }

  /**
   * Appends lines of a page.
   *
   * @param page larger than all pages before
   * @param set the lines, at least one
   * @return false if the group has no room
   */
  boolean add(long page, ByteBuffer source, int at, long set, int crc) {
    int added = Long.bitCount(set) * lineBytes;
    if ((count > 0 && page - firstPage > Integer.MAX_VALUE)
        || JournalLayout.groupLength(count + 1, dataLength + added)
            > JournalLayout.MAX_GROUP_LENGTH) {
      return false;
    }
    if (count == 0) {
      firstPage = page;
    }
    int to = JournalLayout.GROUP_HEADER_LENGTH + dataLength;
    for (long left = set; left != 0; ) {
      int first = Long.numberOfTrailingZeros(left);
      int run = run(left, first);
      bytes.put(to, source, at + first * lineBytes, run * lineBytes);
      to += run * lineBytes;
      left = without(left, first, run);
    }
    deltas[count] = (int) (page - firstPage);
    crcs[count] = crc;
    lines[count] = set;
    count++;
    dataLength += added;
    return true;
  }

  /** Completes the group. The result has the group from its start to its limit. */
  ByteBuffer finish(long checkpoint) {
    int at = JournalLayout.GROUP_HEADER_LENGTH + dataLength;
    putEntries(at);
    at += count * JournalLayout.ENTRY_LENGTH;
    int length = (int) JournalLayout.groupLength(count, dataLength);
    putZeros(at, length);
    bytes
        .putLong(JournalLayout.GROUP_MAGIC_OFFSET, JournalLayout.GROUP_MAGIC)
        .putLong(JournalLayout.GROUP_CHECKPOINT_OFFSET, checkpoint)
        .putLong(JournalLayout.GROUP_FIRST_PAGE_OFFSET, firstPage)
        .putInt(JournalLayout.GROUP_COUNT_OFFSET, count)
        .putInt(JournalLayout.GROUP_DATA_LENGTH_OFFSET, dataLength)
        .putInt(JournalLayout.GROUP_RESERVED_OFFSET, 0)
        .putInt(JournalLayout.GROUP_CRC_OFFSET, crc(at));
    return bytes.position(0).limit(length);
  }

  // Loops in methods of their own: how often they run differs from group to group, for which the
  // just-in-time compiler compiled all of finish() anew, beside the commits.

  private void putEntries(int from) {
    int at = from;
    for (int i = 0; i < count; i++) {
      bytes
          .putInt(at + JournalLayout.ENTRY_DELTA_OFFSET, deltas[i])
          .putInt(at + JournalLayout.ENTRY_CRC_OFFSET, crcs[i])
          .putLong(at + JournalLayout.ENTRY_LINES_OFFSET, lines[i]);
      at += JournalLayout.ENTRY_LENGTH;
    }
  }

  private void putZeros(int from, int end) {
    for (int i = from; i < end; i += Long.BYTES) {
      bytes.putLong(i, 0);
    }
  }

  private int crc(int end) {
    return Crc32c.around(bytes, JournalLayout.GROUP_CRC_OFFSET, end);
  }

  /** Adds the group to the journal's checksum, which is in the superblock. */
  void addTo(CRC32C crc) {
    crc.update(bytes.duplicate().clear().limit(JournalLayout.GROUP_HEADER_LENGTH));
  }

  // ---- Reading.

  /**
   * Reads the fixed part of a group at the start of the buffer.
   *
   * @return the length of the group with its padding, or -1 if this is no group of the checkpoint
   */
  long readHeader(long checkpoint) {
    count = bytes.getInt(JournalLayout.GROUP_COUNT_OFFSET);
    dataLength = bytes.getInt(JournalLayout.GROUP_DATA_LENGTH_OFFSET);
    firstPage = bytes.getLong(JournalLayout.GROUP_FIRST_PAGE_OFFSET);
    if (bytes.getLong(JournalLayout.GROUP_MAGIC_OFFSET) != JournalLayout.GROUP_MAGIC
        || bytes.getLong(JournalLayout.GROUP_CHECKPOINT_OFFSET) != checkpoint
        || count < 1
        || count > deltas.length
        || dataLength < 0
        || firstPage < 0
        || JournalLayout.groupLength(count, dataLength) > JournalLayout.MAX_GROUP_LENGTH) {
      return -1;
    }
    return JournalLayout.groupLength(count, dataLength);
  }

  /**
   * Verifies the group, which is completely in the buffer, and reads its entries.
   *
   * @param afterPage the last page of the previous group, or -1
   * @param endPage the number of pages of the region
   * @return the problem with the group, or null if it is valid
   */
  @Nullable String read(long afterPage, long endPage) {
    int at = JournalLayout.GROUP_HEADER_LENGTH + dataLength;
    int end = at + count * JournalLayout.ENTRY_LENGTH;
    if (bytes.getInt(JournalLayout.GROUP_CRC_OFFSET) != crc(end)) {
      return "the checksum of a group of " + count + " pages is wrong";
    }
    long last = afterPage;
    long data = 0;
    for (int i = 0; i < count; i++) {
      deltas[i] = bytes.getInt(at + JournalLayout.ENTRY_DELTA_OFFSET);
      crcs[i] = bytes.getInt(at + JournalLayout.ENTRY_CRC_OFFSET);
      lines[i] = bytes.getLong(at + JournalLayout.ENTRY_LINES_OFFSET);
      at += JournalLayout.ENTRY_LENGTH;
      long page = firstPage + deltas[i];
      if (deltas[i] < 0 || page <= last || page >= endPage) {
        return "page " + page + " follows page " + last;
      }
      if (lines[i] == 0 || (lines[i] & ~allLines) != 0) {
        return "page " + page + " has lines " + Long.toHexString(lines[i]);
      }
      last = page;
      data += (long) Long.bitCount(lines[i]) * lineBytes;
    }
    return data == dataLength ? null : "lines of " + data + " bytes in " + dataLength;
  }

  /** Returns the page of an entry. */
  long page(int entry) {
    return firstPage + deltas[entry];
  }

  /** Removes the pages of this group from {@code pages}. */
  void withdrawFrom(SortedMap<Long, ?> pages) {
    for (int entry = 0;
        entry < count && !pages.isEmpty() && page(entry) <= pages.lastKey();
        entry++) {
      pages.remove(page(entry));
    }
  }

  /** Returns the checksum of an entry's page after the fold of its lines. */
  int crc32c(int entry) {
    return crcs[entry];
  }

  /** Returns the bits of an entry's lines. */
  long lines(int entry) {
    return lines[entry];
  }

  /** Returns whether an entry has all lines of its page. */
  boolean isWhole(int entry) {
    return lines[entry] == allLines;
  }

  /** Returns the length of an entry's lines in bytes. */
  int dataBytes(int entry) {
    return Long.bitCount(lines[entry]) * lineBytes;
  }

  /** Copies an entry's lines, which start at {@code at} in the buffer, to its page. */
  void patch(int entry, int at, ByteBuffer page) {
    int from = at;
    for (long left = lines[entry]; left != 0; ) {
      int first = Long.numberOfTrailingZeros(left);
      int run = run(left, first);
      page.put(first * lineBytes, bytes, from, run * lineBytes);
      from += run * lineBytes;
      left = without(left, first, run);
    }
  }

  /** Passes the runs of consecutive lines of an entry, one by one, to a consumer. */
  void runs(int entry, int at, RunConsumer consumer) {
    int from = at;
    long address = page(entry) * pageBytes;
    for (long left = lines[entry]; left != 0; ) {
      int first = Long.numberOfTrailingZeros(left);
      int run = run(left, first);
      consumer.accept(
          address + (long) first * lineBytes,
          bytes.duplicate().clear().position(from).limit(from + run * lineBytes));
      from += run * lineBytes;
      left = without(left, first, run);
    }
  }

  private static int run(long lines, int first) {
    return Long.numberOfTrailingZeros(~(lines >>> first));
  }

  private static long without(long lines, int first, int run) {
    return first + run >= Long.SIZE ? 0 : lines & (-1L << (first + run));
  }

  /** Receives runs of bytes. */
  interface RunConsumer {

    /** Receives the bytes for an address; the buffer is valid only during the call. */
    void accept(long address, ByteBuffer source);
  }
}

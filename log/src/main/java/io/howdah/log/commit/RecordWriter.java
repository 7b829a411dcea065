package io.howdah.log.commit;

import io.howdah.core.layout.RedoRecordLayout;

/**
 * Encodes the words of a transaction as redo records: one record with all words, or parts and a
 * record that refers to them. A lane appends the writer's current record; see {@link Lane#append}.
 * Single words with consecutive addresses share an entry, and so do the words of a row. Only a
 * record with all words has rows.
 *
 * <p>Each attempt has one writer and reuses it. Not thread-safe.
 */
public final class RecordWriter {

  private final RecordSource source;

  /** Range of the single words of the current record. */
  private int from;

  private int to;

  private int lengthBytes;
  private int runs;
  private int maxPartBytes;
  private long group;

  /** Number of parts that were appended before the current record. */
  private int parts;

  public RecordWriter(RecordSource source) {
    this.source = source;
  }

  /**
   * Makes the record with all words the current record.
   *
   * @return its length in bytes. If it exceeds the maximum length of a record, the caller must call
   *     {@link #split}
   */
  public long measure() {
    group = 0;
    parts = 0;
    from = 0;
    to = source.singles();
    runs = runs(from, to);
    long words = (long) to + runs + source.rowEntriesEnd();
    long bytes = RedoRecordLayout.MIN_LENGTH + words * Long.BYTES;
    runs += source.rowCount(); // each row is an entry, as each run is
    lengthBytes = (int) Math.min(bytes, Integer.MAX_VALUE);
    return bytes;
  }

  /** Makes the first part the current record. The source has no rows. */
  public void split(int maxRecordBytes) {
    maxPartBytes = maxRecordBytes - RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    stand(0);
  }

  /** Returns whether the current record is a part. */
  public boolean isPart() {
    return to < source.singles();
  }

  /** Returns the length of the current record in bytes. */
  public int lengthBytes() {
    return lengthBytes;
  }

  /** Sets the group number of the parts. */
  void group(long group) {
    this.group = group;
  }

  /** Moves to the next part or, after the last part, to the record that refers to the parts. */
  void next() {
    parts++;
    stand(to);
    if (!isPart()) {
      lengthBytes += RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    }
  }

  private void stand(int first) {
    from = first;
    to = endOfPart(first);
    runs = runs(first, to);
    lengthBytes = RedoRecordLayout.MIN_LENGTH + (to - first + runs) * Long.BYTES;
  }

  /** Returns the end of the longest part from a single word on that does not exceed its limit. */
  private int endOfPart(int first) {
    int room = (maxPartBytes - RedoRecordLayout.MIN_LENGTH) / Long.BYTES;
    int count = source.singles();
    int end = first;
    while (end < count) {
      room -= end != first && follows(end) ? 1 : 2;
      if (room < 0) {
        break;
      }
      end++;
    }
    return end;
  }

  /** Returns the number of runs of consecutive single words in a range. */
  private int runs(int first, int end) {
    int count = 0;
    long next = -1;
    for (int i = first; i < end; i++) {
      long address = source.address(i);
      if (address != next) {
        count++;
      }
      next = address + Long.BYTES;
    }
    return count;
  }

  /** Returns the first word of the transaction's record. */
  long head() {
    int kind = parts == 0 ? RedoRecordLayout.KIND_COMMIT : RedoRecordLayout.KIND_MULTIPART_COMMIT;
    return RedoRecordLayout.head(lengthBytes, kind, runs);
  }

  /** Returns the first word of a part. */
  long partHead() {
    return RedoRecordLayout.head(lengthBytes, RedoRecordLayout.KIND_PART, runs);
  }

  long group() {
    return group;
  }

  int parts() {
    return parts;
  }

  /** Puts the words after LSN and dependency into a lane. */
  void put(Lane lane) {
    if (parts != 0) {
      lane.put(group);
      lane.put(parts);
    }
    putEntries(lane);
  }

  void putEntries(Lane lane) {
    RecordSource source = this.source;
    int end = to;
    for (int i = from; i < end; ) {
      int behind = i + 1;
      while (behind < end && follows(behind)) {
        behind++;
      }
      lane.put(RedoRecordLayout.entryHead(source.address(i), behind - i));
      for (; i < behind; i++) {
        lane.put(source.value(i));
      }
    }
    int rowsEnd = source.rowEntriesEnd();
    if (rowsEnd != 0) {
      lane.put(source.rowEntries(), rowsEnd);
    }
  }

  private boolean follows(int single) {
    return source.address(single) == source.address(single - 1) + Long.BYTES;
  }
}
